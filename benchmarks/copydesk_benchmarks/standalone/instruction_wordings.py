"""The share of instructions that say all themselves and are read so, on wordings written without knowing what is read.

    python -m copydesk_benchmarks instruction_wordings

No model runs. What is not read goes to the model; `tests/refactorings/test_told_wordings.py` checks what is read.
"""

from __future__ import annotations

import json

from copydesk_benchmarks.checkout import ROOT
from instructions import told

WORDINGS = ROOT / "tests" / "refactorings" / "wordings.json"


def main() -> int:
    sets = json.loads(WORDINGS.read_text("utf-8"))
    heads = [f"text {n + 1}" for n in range(len(sets))]
    print(f"| asked for | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    totals = [[0, 0] for _ in sets]
    for kind in (asked["kind"] for asked in sets[0]["asked"]):
        cells = []
        for total, one in zip(totals, sets, strict=True):
            (asked,) = (asked for asked in one["asked"] if asked["kind"] == kind)
            scope = [tuple(one["scope"])]
            read = sum(told(wording, one["source"], scope) is not None for wording in asked["wordings"])
            cells.append(f"{read} of {len(asked['wordings'])}")
            if asked["after"] is not None:
                total[0] += read
                total[1] += len(asked["wordings"])
        print(f"| {kind} | {' | '.join(cells)} |")
    shares = (f"{read} of {count} ({read / count:.0%})" for read, count in totals)
    print(f"| all but the others | {' | '.join(shares)} |")
    return 0
