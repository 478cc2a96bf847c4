"""Edits of a package.json by instruction, with a model's weights: how they end where the parse is held, and where it is only
checked.

    OMP_NUM_THREADS=2 python -m copydesk_benchmarks json_edits [--model standard] [--samples 2]

Each instruction is asked greedily, and then sampled at temperature 0.7. `right`: the text is the expected one, as JSON.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from statistics import median
from unittest.mock import patch

from copydesk import Editor, EditRequest
from copydesk.serving import plan
from copydesk_benchmarks.facts import hardware
from json_texts import PACKAGE

ASKED = (
    ("rename the script bench to benchmark", (6, 9), '"bench"', '"benchmark"'),
    ("set private to true", (22, 22), "false", "true"),
    ("remove the dependency fast-check", (15, 19), '    "fast-check": "0.0.8",\n', ""),
    ("add a script lint that runs eslint", (6, 9), 'perf.js"', 'perf.js",\n    "lint": "eslint"'),
    ("change the version to 2.0.0", (3, 3), "1.3.0", "2.0.0"),
    ("add string to the keywords", (10, 10), '"pad"]', '"pad", "string"]'),
    ("remove the keywords", (9, 11), '  "keywords": ["leftpad", "left", "pad"],\n', ""),
    ("make the type of the repository svn", (11, 14), '"git"', '"svn"'),
    ("set main to lib/index.js", (5, 5), "index.js", "lib/index.js"),
    ("remove tape", (15, 19), '"0.0.8",\n    "tape": "*"', '"0.0.8"'),
    ("remove the script bench", (6, 9), 'node test",\n    "bench": "node perf/perf.js"', 'node test"'),
    ("make engines null", (21, 21), "{}", "null"),
)
"""Instruction, lines, and what is replaced by what."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Edits of JSON with the parse held, and without.")
    parser.add_argument("--model", default="standard")
    parser.add_argument("--samples", type=int, default=2, help="of each instruction, the greedy one included")
    args = parser.parse_args()
    print(f"{hardware()}; {args.model}, {len(ASKED)} instructions, {args.samples} samples of each.\n")
    print("| | edited | right | unchanged | does not parse | other refusals | ms, median |")
    print("|---|---|---|---|---|---|---|")
    with Editor.load(args.model, warm=False) as editor:
        print(f"| held | {_ended(editor, args.samples)} |")
        with patch.object(plan, "held_rules", return_value=None):
            print(f"| checked at the end | {_ended(editor, args.samples)} |")
    return 0


def _ended(editor: Editor, samples: int) -> str:
    found, times = Counter[str](), list[float]()
    for instruction, scope, old, new in ASKED:
        assert PACKAGE.count(old) >= 1, old
        wanted = json.loads(PACKAGE.replace(old, new, 1))
        for seed in range(samples):
            document = editor.open("package.json", PACKAGE)
            request = EditRequest(
                scope=[scope],
                instruction=instruction,
                temperature=0.7 if seed else 0.0,
                seed=seed,
                max_tokens=160,
            )
            result = document.edit(request)
            document.close()
            times.append(result.ms["total"])
            unparsable = result.reason == "the result does not parse"
            found["unparsable" if unparsable else result.status] += 1
            found["right"] += result.status == "edited" and json.loads(result.text) == wanted
    cells = [found[name] for name in ("edited", "right", "unchanged", "unparsable", "refused")]
    return " | ".join([*map(str, cells), f"{median(times):.0f}"])
