"""`copydesk fix` on packages no model was trained on, beside what `ruff --fix` does on the same files.

    python -m copydesk_benchmarks headless_packages [--files 120] [--model DIR] [--threads 2] [--seed 0] > benchmarks/headless.md

The packages are those of `copydesk_training/heldout.txt`, fetched by pip as wheels into a temporary folder (or `--wheels DIR`,
kept there); files are drawn by the seed from those in which ruff finds something. Each side gets a copy of the files and writes
into it. A diagnostic counts as mended where it is gone and its file still parses and has nothing new: with one new finding,
nothing that went from that file counts. Every side is judged alike, by ruff on what it left.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TypeAlias

import torch

from copydesk_benchmarks.facts import hardware
from copydesk_server.ruff import SYNTAX, Ruff
from copydesk_server.verification import finding
from copydesk_training.sources import archive, fetch

SELECT = "E,F,W,B,C4,RET,SIM,UP,PLR1,PLW"
IGNORE = "E501"  # a line's length is not what this measures, and would be most of what there is

OPTIONS = {
    "copydesk": (),
    "copydesk none": ("--unsafe-fixes", "--linter-fixes", "none"),
    "copydesk safe": ("--unsafe-fixes", "--linter-fixes", "safe"),
    "copydesk unsafe": ("--unsafe-fixes",),
}
"""How copydesk is asked: for what is confirmed and safe, then for what is unsafe as well, with fewer and more of ruff's fixes."""

SIDES = {
    "copydesk": "copydesk fix",
    "copydesk none": "… --unsafe-fixes --linter-fixes none",
    "copydesk safe": "… --unsafe-fixes --linter-fixes safe",
    "copydesk unsafe": "… --unsafe-fixes",
    "ruff safe": "ruff --fix",
    "ruff unsafe": "… --unsafe-fixes",
}
"""Who mends, and the heading of the column."""

Key: TypeAlias = tuple[str, str]
Found: TypeAlias = dict[str, Counter[Key]]
"""By file, what ruff says of it, without line numbers."""


def main() -> int:
    parser = parser_for(__doc__, files=120, select=SELECT)
    parser.add_argument("--packages", help="instead of all that are held out, with commas")
    parser.add_argument(
        "--sides", type=lambda said: said.split(","), default=list(SIDES), help="with commas; all by default"
    )
    args = parser.parse_args()
    if unknown := set(args.sides) - set(SIDES):
        parser.error(f"no such side: {', '.join(sorted(unknown))}; there are {', '.join(SIDES)}")
    ruff = Ruff.find()
    if ruff is None:
        parser.error("ruff is not there")
    names = args.packages.split(",") if args.packages else held_out()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        packages, everything, chosen = sampled(ruff, names, home, args)
        sides = {
            side: copy(home, side, chosen) for side in ("before", *SIDES) if side in ("before", *args.sides)
        }
        took = {
            side: run_copydesk(sides[side], options, args)
            for side, options in OPTIONS.items()
            if side in sides
        }
        for side, options in (("ruff safe", ()), ("ruff unsafe", ("--unsafe-fixes",))):
            if side in sides:
                run_ruff(ruff, sides[side], *options)
        found = {side: survey(ruff, tree) for side, tree in sides.items()}
        mended = {side: judged(found["before"], found[side], sides[side]) for side in list(sides)[1:]}
    print("# `copydesk fix` beside `ruff --fix`, on packages no model has seen\n")
    print(f"`python -m copydesk_benchmarks headless_packages {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; torch {torch.__version__}, ruff {version('ruff')}; seed {args.seed}; model "
        f"{args.model}; {len(chosen)} of {len(everything)} files with findings, of {', '.join(packages)}; rules "
        f"{args.select} without {IGNORE}. `copydesk fix` took {', '.join(f'{seconds:.0f}' for seconds in took.values())} s.\n"
    )
    print(
        "Diagnostics gone, in files that still parse and have no new ones. Every side is asked for everything. All that\n"
        "copydesk writes is confirmed; without `--unsafe-fixes` it leaves what may change the meaning. `--linter-fixes none`\n"
        "is what it mends without any fix of ruff's; `safe` and `unsafe` (the default) take those that\n"
        "ruff proposes.\n"
    )
    print(table(found["before"], mended))
    return 0


def parser_for(description: str | None, *, files: int, select: str) -> argparse.ArgumentParser:
    """The options of a benchmark over packages; the defaults are its own."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=files)
    parser.add_argument("--select", default=select)
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wheels", help="keep the wheels here")
    return parser


def sampled(
    ruff: Ruff, names: Sequence[str], home: Path, args: argparse.Namespace
) -> tuple[list[str], Found, list[str]]:
    """The packages as name and version, what ruff says of their files, and the files that are used."""
    packages = unpack(names, Path(args.wheels or home / "wheels"), home / "all", args.select)
    everything = survey(ruff, home / "all")
    return (
        packages,
        everything,
        sorted(Random(args.seed).sample(sorted(everything), min(args.files, len(everything)))),
    )


# -- files ---------------------------------------------------------------------------------------------------------


def held_out() -> list[str]:
    """The packages that are never trained on."""
    text = (resources.files("copydesk_training") / "heldout.txt").read_text("utf-8")
    return [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]


def unpack(names: Sequence[str], wheels: Path, tree: Path, select: str) -> list[str]:
    """The packages' sources under `tree`, with ruff's settings; packages as name and version."""
    paths, failed = fetch(names, wheels)
    if failed:
        print(f"pip has no wheel of {', '.join(failed)}", file=sys.stderr)
    packages = [archive(path) for path in paths]
    for package in packages:
        for name, data in package.files():
            if ".." not in Path(name).parts:
                (tree / package.name / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / package.name / name).write_bytes(data)
    lint = f"select = {json.dumps(select.split(','))}\nignore = {json.dumps([IGNORE])}\n"
    (tree / "ruff.toml").write_text(f'target-version = "py311"\n[lint]\n{lint}')
    return [f"{package.name} {package.version}" for package in packages]


def copy(home: Path, side: str, names: Sequence[str]) -> Path:
    """The chosen files in a folder of their own."""
    for name in ("ruff.toml", *names):
        target = home / side / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(home / "all" / name, target)
    return home / side


# -- sides ---------------------------------------------------------------------------------------------------------


def survey(ruff: Ruff, tree: Path) -> Found:
    """What ruff finds, by file; files without findings are left out."""
    found: Found = {}
    for path, said in ruff.survey([tree]):
        found.setdefault(path.relative_to(tree).as_posix(), Counter())[finding(said)] += 1
    return found


def run_copydesk(tree: Path, options: Sequence[str], args: argparse.Namespace) -> float:
    """Seconds that it took. Raises RuntimeError where the command itself fails."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "copydesk_server",
        "fix",
        ".",
        "--write",
        "--quiet",
        "--device",
        "cpu",
    ]
    command += [*options, "--model", args.model]
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, "OMP_NUM_THREADS": str(args.threads)}, check=False
    )
    if done.returncode not in (0, 1):
        print(f"copydesk fix ended with {done.returncode}: some file failed", file=sys.stderr)
    return time.perf_counter() - start


def run_ruff(ruff: Ruff, tree: Path, *options: str) -> None:
    """ruff's own fixes, as often as it makes any."""
    command = [str(ruff.program), "check", "--fix", "--quiet", "--exit-zero", "--no-cache", *options, "."]
    subprocess.run(command, cwd=tree, check=True, stdout=subprocess.DEVNULL)


def judged(before: Found, after: Found, tree: Path) -> Counter[str]:
    """Diagnostics mended, by rule."""
    mended: Counter[str] = Counter()
    for name, had in before.items():
        has = after.get(name, Counter())
        if has - had or (not any(code == SYNTAX for code, _ in had) and not parses(tree / name)):
            continue
        for (code, _), times in (had - has).items():
            mended[code] += times
    return mended


def parses(path: Path) -> bool:
    """Whether Python takes the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return False
    return True


def table(before: Found, mended: dict[str, Counter[str]]) -> str:
    """Rules by how often they are found."""
    asked: Counter[str] = Counter()
    for counted in before.values():
        for (code, _), times in counted.items():
            asked[code] += times
    rows = [
        f"| rule | diagnostics | {' | '.join(SIDES[side] for side in mended)} |",
        "|---" * (len(mended) + 2) + "|",
    ]

    def row(name: str, total: int, numbers: Sequence[int]) -> str:
        return f"| {name} | {total} | " + " | ".join(f"{n} ({n / total:.0%})" for n in numbers) + " |"

    rows += [
        row(rule, total, [side[rule] for side in mended.values()]) for rule, total in asked.most_common()
    ]
    if asked:
        rows.append(row("all", asked.total(), [side.total() for side in mended.values()]))
    return "\n".join(rows)
