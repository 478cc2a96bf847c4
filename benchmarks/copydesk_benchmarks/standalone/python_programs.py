"""Random programs over real Python files: whether CPython finds a new error of the layer that is held, and how they end.

    python -m copydesk_benchmarks python_programs [--programs 100000] [--seconds 300] [--python python3.13 ...] [--seed 0]

Three kinds of models with random logits in turn, over files of the standard library that compile, with random pages and scopes,
and a vocabulary trained on Python. What comes of it is checked by the compiler and the tokenizer of this Python, and of each
`--python`. The first new error of quotes, brackets, line joining, indentation or bodies ends the run.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import time
from collections import Counter
from random import Random

from copydesk_benchmarks.program_endings import endings_table
from python_programs import REGIMES, documents, run_programs
from vocabularies import codec

AT_ONCE = 60
"""Programs between two looks at the clock."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Random programs over Python files.")
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--python", action="append", default=[], help="another Python that checks, too")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    said = [subprocess.run([each, "-V"], capture_output=True, text=True, check=True) for each in args.python]
    versions = [platform.python_version(), *(each.stdout.split()[-1] for each in said)]
    random, found, done, began = Random(args.seed), Counter[str](), 0, time.perf_counter()
    while done < args.programs and time.perf_counter() - began < args.seconds:
        count = min(AT_ONCE, args.programs - done)
        found += run_programs(codec("line_tokens"), random, count, pythons=args.python)
        done += count
    print(
        f"{done:,} programs over {len(documents())} files in {time.perf_counter() - began:.0f} s, checked by CPython "
        f"{', '.join(versions)}: no new error.\n"
    )
    print(endings_table(found, REGIMES))
    return 0
