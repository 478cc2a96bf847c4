"""Edits of a package.json by instruction, with a model's weights: how they end where the schema is held, too, where the parse is
held, and where both are only checked.

    OMP_NUM_THREADS=2 python -m copydesk_benchmarks json_edits [--model standard] [--samples 2]

Each instruction is asked greedily, and then sampled at temperature 0.7. `right`: the text is the expected one, as JSON. First
instructions that say what is to stand there (the last of them asks for what the schema does not allow), then some that leave the
types of values to the schema.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import partial
from statistics import median
from unittest.mock import patch

from copydesk import Editor, EditRequest
from copydesk.schemas.json_text import value_of
from copydesk.serving import plan
from copydesk.serving.parsing import held_rules
from copydesk_benchmarks.facts import hardware
from json_texts import PACKAGE, TSCONFIG

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
TYPED = (
    ("package.json", "make private yes", (22, 22), "false", "true"),
    ("package.json", "private: on", (20, 22), "false", "true"),
    ("package.json", "add type module", (22, 22), "false", 'false,\n  "type": "module"'),
    ("package.json", "set the type to esm", (22, 22), "false", 'false,\n  "type": "module"'),
    ("package.json", "engines node 20", (21, 21), "{}", '{"node": "20"}'),
    ("package.json", "needs node 18 or newer", (20, 22), "{}", '{"node": ">=18"}'),
    ("package.json", "only keyword is pad", (10, 10), '["leftpad", "left", "pad"]', '["pad"]'),
    ("package.json", "publish dist only", (20, 20), "[]", '["dist"]'),
    ("package.json", "no side effects", (22, 22), "false", 'false,\n  "sideEffects": false'),
    ("package.json", "tape is version 5", (15, 19), '"*"', '"5"'),
    ("package.json", "version 2", (3, 3), "1.3.0", "2.0.0"),
    (
        "package.json",
        "no scripts",
        (6, 9),
        '{\n    "test": "node test",\n    "bench": "node perf/perf.js"\n  }',
        "{}",
    ),
    ("tsconfig.json", "turn strict off", (6, 6), "true", "false"),
    ("tsconfig.json", "strict no", (6, 6), "true", "false"),
    ("tsconfig.json", "no emit", (6, 6), "true", 'true,\n    "noEmit": true'),
    ("tsconfig.json", "use esModuleInterop", (6, 6), "true", 'true,\n    "esModuleInterop": true'),
    ("tsconfig.json", "allow js files", (4, 6), "true", 'true,\n    "allowJs": true'),
    ("tsconfig.json", "jsx for react", (6, 6), "true", 'true,\n    "jsx": "react"'),
    ("tsconfig.json", "output to dist", (6, 6), "true", 'true,\n    "outDir": "dist"'),
    ("tsconfig.json", "lib is ES2022 only", (8, 11), '\n      "DOM",', ""),
    ("tsconfig.json", "map @ to lib instead", (7, 7), "./src/*", "./lib/*"),
    ("tsconfig.json", "include lib as well", (13, 13), '["src"]', '["src", "lib"]'),
    ("tsconfig.json", "include lib instead of src", (13, 13), '["src"]', '["lib"]'),
    ("tsconfig.json", "sort of paths: none", (7, 7), '{"@/*": ["./src/*"]}', "{}"),
)
"""The same of files with schemas, in words that do not say which type a value has."""
TEXTS = {"package.json": PACKAGE, "tsconfig.json": TSCONFIG}


Asked = tuple[str, str, tuple[int, int], str, str]
_REASONS = {"the result does not parse": "unparsable", "the result breaks the schema": "schema"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Edits of JSON with the parse held, and without.")
    parser.add_argument("--model", default="standard")
    parser.add_argument("--samples", type=int, default=2, help="of each instruction, the greedy one included")
    args = parser.parse_args()
    print(f"{hardware()}; {args.model}, {args.samples} samples of each instruction.")
    with Editor.load(args.model, warm=False) as editor:
        _compare(
            editor, "that say what is to stand there", [("package.json", *one) for one in ASKED], args.samples
        )
        _compare(editor, "that leave types to the schema", TYPED, args.samples)
    return 0


def _compare(editor: Editor, kind: str, asked: Sequence[Asked], samples: int) -> None:
    print(f"\n{len(asked)} instructions {kind}:\n")
    print(
        "| | edited | right | unchanged | does not parse | breaks the schema | other refusals | ms, median |"
    )
    print("|---|---|---|---|---|---|---|---|")
    print(f"| schema and parse held | {_ended(editor, asked, samples)} |")
    without = partial(held_rules, schemas=False)
    with patch.object(plan, "held_rules", lambda *given, **_: without(*given)):
        print(f"| parse held | {_ended(editor, asked, samples)} |")
    with patch.object(plan, "held_rules", return_value=None):
        print(f"| checked at the end | {_ended(editor, asked, samples)} |")


def _ended(editor: Editor, asked: Sequence[Asked], samples: int) -> str:
    found, times = Counter[str](), list[float]()
    for name, instruction, scope, old, new in asked:
        text = TEXTS[name]
        assert text.count(old) >= 1, old
        wanted = value_of(text.replace(old, new, 1))
        for seed in range(samples):
            document = editor.open(name, text)
            request = EditRequest(
                scope=[scope],
                instruction=instruction,
                temperature=0.7 if seed else 0.0,
                seed=seed,
                max_tokens=160,
                take_likeliest=True,
            )
            result = document.edit(request)
            document.close()
            times.append(result.ms["total"])
            reason = result.reason or ""
            found[
                next((kind for begin, kind in _REASONS.items() if reason.startswith(begin)), result.status)
            ] += 1
            found["right"] += result.status == "edited" and value_of(result.text) == wanted
    cells = [found[name] for name in ("edited", "right", "unchanged", "unparsable", "schema", "refused")]
    return " | ".join([*map(str, cells), f"{median(times):.0f}"])
