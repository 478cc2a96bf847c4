"""What becomes of real findings: ruff over packages no model was trained on, each finding fixed alone, ruff asked again.

    python -m copydesk_benchmarks model_real_diagnostics --work DIR [--model DIR] [--per-rule 20] [--select E,F,W,B,...]

`DIR` is a corpus of `copydesk train` (it has the held-out packages). A fix is *verified* when its finding is gone, nothing new is
found, and the file still parses; those that only delete are counted in a column of their own. "ruff" and "ruff unsafe" say for
how many of the same findings ruff itself offers a fix.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from copydesk.editor import Editor
from copydesk.program import Copy
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Position
from copydesk_training.corpus import Corpus
from copydesk_training.defects.ruff_teacher import check
from copydesk_training.statistics import Share

SELECT = "E,F,W,B,C4,RET,SIM,UP,PLR1,PLW"


@dataclass
class Tally:
    """Counts of one rule."""

    asked: int = 0
    verified: int = 0
    deleting: int = 0
    refused: int = 0
    unchanged: int = 0
    safe: int = 0
    unsafe: int = 0
    examples: list[tuple[int, dict[str, Any]]] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--per-rule", type=int, default=20)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--select", default=SELECT)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    corpus = Corpus(Path(args.work))
    rng = Random(args.seed)
    entries = corpus.of("heldout")
    rng.shuffle(entries)
    texts = [file.text for file in corpus.read(entries[: args.files])]
    rules: dict[str, Tally] = defaultdict(Tally)
    for index, text in enumerate(texts):
        for found in check([text], ["--select", args.select]):
            if found["code"]:
                rules[found["code"]].examples.append((index, found))
    with Editor.load(args.model, device="cpu", warm=False) as editor:
        for rule, tally in rules.items():
            rng.shuffle(tally.examples)
            for index, found in tally.examples[: args.per_rule]:
                try_one(editor, texts[index], found, tally, args.select, rule)
    print(f"`python -m copydesk_benchmarks model_real_diagnostics {' '.join(sys.argv[1:])}`\n")
    print(f"{editor.loaded_model.model.name}; {len(texts)} files of held-out packages; rules {args.select}\n")
    print(
        "| rule | asked | verified | of these only deleting | refused | unchanged | ruff | ruff unsafe |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    whole = Tally()
    for rule in sorted(rules):
        tally = rules[rule]
        print(_row(rule, tally))
        for name in ("asked", "verified", "deleting", "refused", "unchanged", "safe", "unsafe"):
            setattr(whole, name, getattr(whole, name) + getattr(tally, name))
    print(_row("all", whole))
    print(f"\nverified {Share(whole.verified, whole.asked)}")
    return 0


def try_one(editor: Editor, text: str, found: dict[str, Any], tally: Tally, select: str, rule: str) -> None:
    """Fix one finding and judge the result."""
    tally.asked += 1
    fix = found.get("fix")
    tally.safe += bool(fix and fix["applicability"] == "safe")
    tally.unsafe += bool(fix)
    document = editor.open("module.py", text)
    result = document.edit(EditRequest(diagnostics=[_diagnostic(found)]))
    document.close()
    tally.refused += result.status == "refused"
    tally.unchanged += result.status == "unchanged"
    if result.status != "edited":
        return
    before = Counter(item["code"] for item in check([text], ["--select", select]))
    after = Counter(item["code"] for item in check([result.text], ["--select", select]))
    if after[rule] == before[rule] - 1 and not after - before and result.checked:
        tally.verified += 1
        assert result.program is not None
        tally.deleting += all(isinstance(op, Copy) for op in result.program.ops)


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    start, end = (
        Position(found[key]["row"] - 1, found[key]["column"] - 1) for key in ("location", "end_location")
    )
    return Diagnostic(start, end, found["message"], found["code"], "ruff", 2)


def _row(rule: str, tally: Tally) -> str:
    numbers = (
        tally.asked,
        tally.verified,
        tally.deleting,
        tally.refused,
        tally.unchanged,
        tally.safe,
        tally.unsafe,
    )
    return f"| {rule} | {' | '.join(map(str, numbers))} |"
