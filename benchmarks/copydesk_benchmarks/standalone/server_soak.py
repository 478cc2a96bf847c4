"""A soak of the language server with the embedded model: whether memory stays flat and nothing is lost or left over.

    python -m copydesk_benchmarks server_soak [--documents 50] [--edits 20000] [--fixes 500] [--cancels 200] \
        [--seed 0] [--model DIR]

The protocol process is this one, with a client that keeps its own texts (`tests/support/soaking.py`), so its memory counts
both. Exit code 1 where something was left over.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
from importlib.metadata import version

from copydesk_benchmarks.facts import hardware
from soaking import Size, soak


def main() -> int:
    parser = argparse.ArgumentParser()
    for name, default in (
        ("documents", 50),
        ("edits", 20_000),
        ("fixes", 500),
        ("cancels", 200),
        ("seed", 0),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    args = parser.parse_args()
    size = Size(args.documents, args.edits, args.fixes, args.cancels, args.seed)
    report = asyncio.run(soak(size, said=lambda line: print(line, file=sys.stderr), model=args.model))
    print(f"`python -m copydesk_benchmarks server_soak {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}; model {args.model}; Python {platform.python_version()}, torch {version('torch')}, "
        f"pygls {version('pygls')}; {size}; {report.seconds:.0f} s\n"
    )
    print(
        "| edits done | MiB, protocol process and client | MiB, engine | of them warm pages |\n|---|---|---|---|"
    )
    for edits, *sizes in report.memory:
        print(f"| {edits} | " + " | ".join(f"{size / 2**20:.1f}" for size in sizes) + " |")
    half = report.memory[len(report.memory) // 2 :]
    here, there, pages = ((half[-1][which] - half[0][which]) / 2**20 for which in (1, 2, 3))
    print(
        f"\nGrown in the second half: {here:+.1f} MiB; {there:+.1f} MiB, of them {pages:+.1f} MiB warm pages."
    )
    print(
        "\nAnswers: " + ", ".join(f"{name}: {count}" for name, count in sorted(report.answers.items())) + "."
    )
    print("\nLost or left over: " + ("nothing." if not report.faults else ""))
    for fault in report.faults:
        print(f"- {fault}")
    return 1 if report.faults else 0
