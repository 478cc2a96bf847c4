"""`copydesk fix` and `refactor` over a tree of files with known defects: one request at a time beside as many as fit.

    python -m copydesk_benchmarks headless_tree [--files 1000] [--refactor 100] [--model DIR] [--dtype D] [--threads 2] [--seed 0]
        [--keep DIR]

Each file is one of the standard library of the running Python with up to three defects of different kinds put into it.
Every command runs twice in the same run, with `--batch 1` and with the default, in a process of its own; it writes nothing.
Memory is what the process holds (VmRSS) when its first, its 100th, 200th, … file is told. Where the two runs do not agree, the
first request that differs is decoded again alone and the smallest distance of its two best choices is listed: beyond 1e-4 it is
no tie. (In bfloat16, whose steps are 0.4%, a sum in another order moves scores by more than that; `--dtype fp32` has no such
excuse.) With `--files 30 --refactor 5` it takes less than a minute on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeAlias
from unittest import mock

import torch

from copydesk.decode.sampling import Floats, Sampler, TokenSet
from copydesk.results import EditResult
from copydesk.serving import batch
from copydesk_benchmarks.facts import hardware
from copydesk_server import cli
from copydesk_server.commands import fix as fix_command
from copydesk_server.commands import refactor as refactor_command
from copydesk_server.headless.models import Fix
from copydesk_server.headless.report import _fix
from copydesk_server.headless.task import FileTask
from copydesk_training.composite import composites
from copydesk_training.defects import examples
from copydesk_training.sources import standard_library

DEFECTS = 3
LINES = 40, 600
SELECT = "E4,E7,E9,F,W291,W293,B006"
INSTRUCTION = "use f-strings instead of str.format and % formatting"
TIE = 1e-4
EVERY = 100

Where: TypeAlias = tuple[int, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--refactor", type=int, default=100, help="files that `refactor` is run on")
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--dtype", choices=("auto", "fp32", "bf16", "int8"), default="auto")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, help="instead of the default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="make the tree here and leave it")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(args.keep or folder) / "tree"
        names = make_tree(tree, args.files, args.seed)
        print(f"`python -m copydesk_benchmarks headless_tree {' '.join(sys.argv[1:])}`\n")
        print(
            f"{hardware()}, {args.threads} threads; torch {torch.__version__}; dtype {args.dtype}; "
            f"Python {sys.version.split()[0]}; seed {args.seed}; "
            f"{len(names)} files, {sum((tree / name).stat().st_size for name in names) >> 10} KiB\n"
        )
        fix = ["fix", ".", "--linter-fixes", "none", "--unsafe-fixes"]  # it is the model that is measured
        refactor = ["refactor", *names[: args.refactor], "-i", INSTRUCTION]
        for command in (fix, refactor) if args.refactor else (fix,):
            compare(command, tree, args)
    return 0


# -- the tree ------------------------------------------------------------------------------------------------------


def make_tree(tree: Path, count: int, seed: int) -> list[str]:
    """`count` files with defects, the same for the same seed and interpreter; their names, in order."""
    tree.mkdir(parents=True, exist_ok=True)
    (tree / "ruff.toml").write_text(f"[lint]\nselect = {json.dumps(SELECT.split(','))}\n")
    names: list[str] = []
    for text in defective(Random(seed)):
        names.append(f"f{len(names):04}.py")
        (tree / names[-1]).write_text(text, encoding="utf-8", newline="")
        if len(names) == count:
            break
    return names


def defective(rng: Random) -> Iterator[str]:
    """Texts with defects in them: each file of the standard library once, then again with other defects."""
    clean = []
    for path, data in standard_library().files():
        # Some of these are broken on purpose.
        if path.startswith(("test/", "idlelib/idle_test/", "lib2to3/tests/", "ctypes/test/")):
            continue
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if LINES[0] <= text.count("\n") <= LINES[1]:
            clean.append(text)
    rng.shuffle(clean)
    for text in cycle(clean):
        made = [e for e in examples(text, rng, 12) if e.before != e.after and e.request.diagnostics]
        documents, _ = composites(text, made[:DEFECTS], apart=64, most=1)
        for document in documents[:1]:
            yield document[0].before


# -- runs ----------------------------------------------------------------------------------------------------------


@dataclass
class Told:
    """What one run said. memory: MiB when the first, the 100th, … and the last file was told."""

    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    memory: dict[int, float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu: float = 0.0

    @property
    def requests(self) -> int:
        return sum(len(file["fixes"]) for file in self.files.values())

    def count(self, name: str) -> int:
        return sum(int(file["counts"][name]) for file in self.files.values())


def run(command: list[str], tree: Path, args: argparse.Namespace, lanes: int | None) -> Told:
    """One command in a process of its own. Raises RuntimeError where it fails."""
    full = [sys.executable, "-P", "-m", "copydesk_server", *command, "--json", "--quiet", "--device", "cpu"]
    full += ["--dtype", args.dtype, "--model", args.model]
    full += ["--batch", str(lanes)] if lanes is not None else []
    environment = {**os.environ, "OMP_NUM_THREADS": str(args.threads)}
    told, start, spent = Told(), time.perf_counter(), children_cpu()
    with subprocess.Popen(full, cwd=tree, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None
        for line in child.stdout:
            file = json.loads(line)
            told.files[file["path"]] = file
            n = len(told.files)
            if n == 1 or n % EVERY == 0:
                told.memory[n] = resident(child.pid)
            told.seconds = time.perf_counter() - start
    told.cpu = children_cpu() - spent
    if child.returncode == 2 or not told.files:
        raise RuntimeError(f"{' '.join(full)} failed")
    return told


def children_cpu() -> float:
    """Seconds of processor time of the processes that this one has waited for, and theirs: linters count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resident(pid: int) -> float:
    """MiB a process holds in memory now."""
    for line in Path(f"/proc/{pid}/status").read_text().split("\n"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def compare(command: list[str], tree: Path, args: argparse.Namespace) -> None:
    """Both runs of a command as a table, and where they differ."""
    alone, packed = run(command, tree, args, 1), run(command, tree, args, args.batch)
    print(f"## {command[0]}\n")
    print(
        "| --batch | files | seconds | CPU seconds | files/s | requests | forwards | tokens generated | edited |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    for name, told in (("1", alone), (str(args.batch or "default"), packed)):
        edited = sum(file["status"] == "edited" for file in told.files.values())
        print(
            f"| {name} | {len(told.files)} | {told.seconds:.1f} | {told.cpu:.1f} "
            f"| {len(told.files) / told.seconds:.2f} | {told.requests} "
            f"| {told.count('forwards')} | {told.count('generated')} | {edited} |"
        )
    print(f"\n{alone.seconds / packed.seconds:.2f} times as fast (model loaded and tree surveyed included)\n")
    print("| files told | MiB, --batch 1 | MiB, packed |\n|---|---|---|")
    for n, held in packed.memory.items():
        print(f"| {n} | {alone.memory.get(n, float('nan')):.0f} | {held:.0f} |")
    differing = [name for name, file in alone.files.items() if said(file) != said(packed.files.get(name))]
    print(f"\n{len(alone.files) - len(differing)} of {len(alone.files)} files the same; the others:\n")
    for name in differing:
        theirs = [said_of(fix) for fix in packed.files[name]["fixes"]]
        fixes = [
            fix
            for fix in alone.files[name]["fixes"]
            if said_of(fix) not in theirs and fix["request"]["round"]
        ]
        smallest = gap(command, tree, args, fixes, name)
        print(f"- {name}: two best choices {smallest:.2e} apart" + ("" if smallest <= TIE else ": no tie"))
    print(flush=True)


def said_of(fix: dict[str, Any]) -> object:
    return fix["request"], fix["verdict"], fix["edits"], fix["program"]


def said(file: dict[str, Any] | None) -> object:
    """What a file's result says, without what it cost."""
    if file is None:
        return None
    return file["status"], file["edits"], list(map(said_of, file["fixes"]))


# -- ties ----------------------------------------------------------------------------------------------------------


class Watching(Sampler):
    """A greedy sampler that keeps how near a second choice ever was: of the request in hand, with `--batch 1`."""

    smallest = float("inf")

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        Watching.smallest = float("inf")

    def choose(self, log_p: Floats) -> int:
        self._note(torch.from_numpy(log_p))
        return super().choose(log_p)

    def token(self, logits: torch.Tensor, allowed: TokenSet) -> int:
        log_p, _ = allowed.log_softmax(logits)
        self._note(torch.from_numpy(log_p))
        return super().token(logits, allowed)

    def _note(self, values: torch.Tensor) -> None:
        if values.numel() > 1:
            best = values.topk(2).values
            Watching.smallest = min(Watching.smallest, float(best[0] - best[1]))


class WatchedTask(FileTask):
    """A file whose fixes know how near the second choice was. Nothing else asks for it."""

    gaps: ClassVar[dict[Where, float]] = {}

    def answer(self, fix: Fix, result: EditResult) -> None:
        WatchedTask.gaps[where(_fix(fix))] = Watching.smallest
        super().answer(fix, result)


def where(fix: dict[str, Any]) -> Where:
    """What a fix of `--json` is known by within its file."""
    return fix["request"]["round"], json.dumps(fix["request"], sort_keys=True)


def gap(
    command: list[str], tree: Path, args: argparse.Namespace, fixes: list[dict[str, Any]], name: str
) -> float:
    """The smallest distance of two best choices in the first of the requests `fixes`, decoded again."""
    WatchedTask.gaps.clear()
    again = [command[0], name, *command[command.index("-i") :]] if "-i" in command else ["fix", name]
    again += ["--json", "--quiet", "--device", "cpu", "--dtype", args.dtype, "--batch", "1"]
    with (
        mock.patch.object(batch, "Sampler", Watching),
        mock.patch.object(fix_command, "FileTask", WatchedTask),
        mock.patch.object(refactor_command, "FileTask", WatchedTask),
        chdir(tree),
        redirect_stdout(StringIO()),
    ):
        cli.main([*again, "--model", args.model])
    first = min(map(where, fixes), default=(0, ""))
    return WatchedTask.gaps.get(first, float("nan"))
