"""Random programs over JSON documents: whether every result parses, and how they end.

    python -m copydesk_benchmarks json_programs [--programs 100000] [--seconds 300] [--kind lines|tags] [--seed 0]

Three kinds of models with random logits in turn, over fixtures like package.json and tsconfig.json, with random pages, scopes and
budgets. The first result that does not parse, or program that leaves its scope, ends the run with an error.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from random import Random

from copydesk_benchmarks.program_endings import endings_table
from decoding import byte_codec
from json_programs import REGIMES, run_programs

AT_ONCE = 50
"""Programs between two looks at the clock."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Random programs over JSON documents.")
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--kind", choices=["lines", "tags"], default="lines")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random, found, done, began = Random(args.seed), Counter[str](), 0, time.perf_counter()
    while done < args.programs and time.perf_counter() - began < args.seconds:
        count = min(AT_ONCE, args.programs - done)
        found += run_programs(byte_codec(args.kind), random, count)
        done += count
    print(f"{done:,} programs in {time.perf_counter() - began:.0f} s, `{args.kind}`: every result parses.\n")
    print(endings_table(found, REGIMES))
    return 0
