"""What each quick-fix handler adds to the linter's own fixes: `copydesk fix` with the handlers and without them, beside ruff.

    python -m copydesk_benchmarks quickfix_handlers [--files 150] [--fixes safe,unsafe] [--model DIR] [--threads 2] [--seed 0]

The packages, and what counts as mended, are those of `headless_packages`; the rules are those that handlers know. Without
handlers a finding is answered by ruff's fix, where one is allowed, or by the model alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import torch

from copydesk.quickfixes.kinds import classify
from copydesk.quickfixes.registry import handlers_of
from copydesk.request import Diagnostic
from copydesk.text.document import Position
from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.standalone.headless_packages import (
    copy,
    held_out,
    judged,
    parser_for,
    run_ruff,
    sampled,
    survey,
)
from copydesk_server.ruff import Ruff

RULES = (
    "F401,F821,F841,F541,B006,B007,B008,B023,B028,B904,B905,E711,E712,E713,E714,E721,E722,E731,E741,N805,PLW1510,PLW2901,RET504,"
    "RUF012,SIM105,SIM115,W291,W292,W293"
)
WITHOUT = (
    "from copydesk.quickfixes import registry; registry.all_handlers = tuple; "
    "from copydesk_server.cli import main; raise SystemExit(main())"
)


def main() -> int:
    parser = parser_for(__doc__, files=150, select=RULES)
    parser.add_argument(
        "--fixes", default="safe,unsafe", help="of ruff's own: none, safe, unsafe, with commas"
    )
    args = parser.parse_args()
    ruff = Ruff.find()
    if ruff is None:
        parser.error("ruff is not there")
    allowed = args.fixes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        packages, everything, chosen = sampled(ruff, held_out(), home, args)
        before = survey(ruff, copy(home, "before", chosen))
        mended: dict[str, Counter[str]] = {}
        for fixes in allowed:
            if fixes != "none":
                tree = copy(home, f"ruff {fixes}", chosen)
                run_ruff(ruff, tree, *(["--unsafe-fixes"] if fixes == "unsafe" else []))
                mended[f"ruff, {fixes}"] = judged(before, survey(ruff, tree), tree)
            for name, start in (("without", ["-c", WITHOUT]), ("with", ["-m", "copydesk_server"])):
                tree = copy(home, f"{name} {fixes}", chosen)
                seconds = run(tree, start, fixes, args)
                print(f"{name} handlers, {fixes}: {seconds:.0f} s", file=sys.stderr)
                mended[f"{name} handlers, {fixes}"] = judged(before, survey(ruff, tree), tree)
    print(f"`python -m copydesk_benchmarks quickfix_handlers {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; torch {torch.__version__}, ruff {version('ruff')}; seed {args.seed}; model "
        f"{args.model}; {len(chosen)} of {len(everything)} files with findings, of {', '.join(packages)}; rules "
        f"{args.select}.\n"
    )
    found: Counter[str] = Counter()
    for counted in before.values():
        for (code, _), times in counted.items():
            found[code] += times
    print(table(found, mended))
    return 0


def run(tree: Path, start: Sequence[str], fixes: str, args: argparse.Namespace) -> float:
    """Seconds that `copydesk fix` took."""
    command = [sys.executable, "-P", *start, "fix", ".", "--write", "--quiet", "--device", "cpu"]
    command += ["--linter-fixes", fixes, "--unsafe-fixes", "--model", args.model]
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, "OMP_NUM_THREADS": str(args.threads)}, check=False
    )
    if done.returncode not in (0, 1):
        print(f"copydesk fix ended with {done.returncode}: some file failed", file=sys.stderr)
    return time.perf_counter() - began


def handler_of(code: str) -> str:
    """The name of the preferred handler for a rule of ruff's; empty where none knows it."""
    handlers = handlers_of(classify(Diagnostic(Position(0, 0), Position(0, 0), "", code, "Ruff")))
    return type(handlers[0]).__name__ if handlers else ""


def table(found: Counter[str], mended: dict[str, Counter[str]]) -> str:
    """A row a rule, under its handler."""
    by_handler: dict[str, list[str]] = defaultdict(list)
    for code in sorted(found):
        by_handler[handler_of(code)].append(code)
    rows = [
        f"| handler | rule | findings | {' | '.join(mended)} |",
        "|---" * (len(mended) + 3) + "|",
    ]
    for handler, codes in sorted(by_handler.items()):
        for code in codes:
            numbers = " | ".join(str(side[code]) for side in mended.values())
            rows.append(f"| {handler or 'none'} | {code} | {found[code]} | {numbers} |")
    totals = " | ".join(str(side.total()) for side in mended.values())
    rows.append(f"| all | | {found.total()} | {totals} |")
    return "\n".join(rows)
