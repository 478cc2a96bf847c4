"""How long the engine takes with a model: to load, to read a cold page, to answer, and for its longest forward; and its memory.

    python -m copydesk_benchmarks model_latency [--models standard:bf16,standard:int8,mini:auto] [--count 40] [--seconds 120]
        [--documents 20] [--loads 3] [--threads 1] [--seed 0]

A model is named with its precision. Each is measured in processes of its own: it is loaded `--loads` times, and the last one is
asked `--count` quick fixes and as many instructions, or as many as `--seconds` allow of each, with warm pages. They are the
training's defects and instructions in files of the standard library; those that are answered without the model do not count.
Cold pages are 64 lines of these files. Times are by wall clock, with the median of the thread's processor time
beside them, which other processes disturb less. Memory is what the process holds (RSS) with pages of `--documents` documents of
300 lines warm, after a request to each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from statistics import median, quantiles
from typing import Any

import psutil
import torch

from copydesk.text.document import split_lines
from copydesk_benchmarks.documents import HEADER, functions
from copydesk_benchmarks.examples import library_examples
from copydesk_benchmarks.facts import facts
from copydesk_benchmarks.report import Report, Table, Target, Value
from copydesk_server.engine_process.worker_main import ENVIRONMENT

MODELS = "standard:bf16,standard:int8,mini:auto"
PAGE = 64
"""Lines of a cold page."""
LINES = 300
MB = 1 << 20
GOALS = {"load": 2500.0, "quick fix": 150.0, "instruction": 400.0, "cold page": 700.0, "forward": 60.0}
"""Milliseconds: the median at most, of a forward the 99th percentile."""
MOST_MB = 900


@dataclass
class Spent:
    """Milliseconds of each time something was done: by the clock on the wall, and of this thread's processor time."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def of(self, work: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.thread_time()
        done = work()
        self.wall.append((time.perf_counter() - wall) * 1e3)
        self.cpu.append((time.thread_time() - cpu) * 1e3)
        return done

    def drop(self) -> None:
        """Forget the last."""
        self.wall.pop()
        self.cpu.pop()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--loads", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="measure this model in this process, and print JSON")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.only:
        measure(args)
        return 0
    report = Report(
        "latency",
        "Latency of the engine",
        f"python -m copydesk_benchmarks model_latency {' '.join(sys.argv[1:])}".strip(),
        datetime.now(UTC).date().isoformat(),
        facts(torch.device("cpu")),
        {"threads": args.threads, "seed": args.seed},
    )
    for name in args.models.split(","):
        loads, found = in_children(name, args)
        report.tables.append(table(name, loads, found))
        report.targets += targets(name, found)
        print(f"{name}: measured", file=sys.stderr, flush=True)
    print(report.markdown())
    return 0


def in_children(name: str, args: argparse.Namespace) -> tuple[list[float], dict[str, Any]]:
    """Milliseconds from the start of a process until its engine was ready, and what the last of them found."""
    loads: list[float] = []
    found: dict[str, Any] = {}
    for number in range(args.loads):
        command = [sys.executable, "-P", "-m", "copydesk_benchmarks", "model_latency", *sys.argv[1:]]
        command += ["--only", name] + ([] if number == args.loads - 1 else ["--count", "0"])
        started = time.perf_counter()
        environment = {**ENVIRONMENT, **os.environ}  # as the language server's engine has it
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
            assert child.stdout is not None
            child.stdout.readline()
            loads.append((time.perf_counter() - started) * 1e3)
            said = json.loads(child.stdout.readline())
        if child.returncode:
            raise RuntimeError(f"{' '.join(command)} failed")
        for what, spent in said["spent"].items():
            before = found.setdefault("spent", {}).setdefault(what, {"wall": [], "cpu": []})
            before["wall"] += spent["wall"]
            before["cpu"] += spent["cpu"]
        found.update({key: value for key, value in said.items() if key != "spent"})
    return loads, found


# -- in a process of its own ---------------------------------------------------------------------------------------


def measure(args: argparse.Namespace) -> None:
    """Prints a line when the engine is ready, and what was found as JSON."""
    from copydesk.editor import Editor

    model, _, dtype = args.only.partition(":")
    spent = {what: Spent() for what in ("load", "cold page", "quick fix", "instruction", "forward")}
    editor = spent["load"].of(lambda: Editor.load(model, device="cpu", dtype=dtype or "auto", warm=False))
    torch.set_num_threads(args.threads)
    print("ready", flush=True)
    process = psutil.Process()
    found: dict[str, Any] = {"dtype": str(editor.loaded_model.model.dtype).removeprefix("torch.")}
    found["rss_loaded"] = process.memory_info().rss
    if args.count:
        forward = editor.loaded_model.model.forward
        requests(editor, args, spent)  # without the watch, which costs a little
        editor.loaded_model.model.forward = lambda feeds: spent["forward"].of(lambda: forward(feeds))
        found["tokens"] = cold_pages(editor, args, spent["cold page"])
        opened(editor, args)
        found["rss_open"] = process.memory_info().rss
    print(json.dumps(found | {"spent": {what: vars(each) for what, each in spent.items()}}), flush=True)
    editor.close()


def requests(editor: Any, args: argparse.Namespace, spent: dict[str, Spent]) -> None:
    """Quick fixes and instructions on warm pages."""
    ends: dict[str, float] = {}
    left = {"quick fix": args.count, "instruction": args.count}
    for example in library_examples(args.seed):
        what = "quick fix" if example.request.diagnostics else "instruction"
        now = time.perf_counter()
        if not left[what] or now > ends.setdefault(what, now + args.seconds):
            left[what] = 0
            if not any(left.values()):
                return
            continue
        document = editor.open("example.py", example.before)
        document.edit(example.request)  # warms the page
        result = spent[what].of(partial(document.edit, example.request))
        document.close()
        if result.counts.forwards:
            left[what] -= 1
        else:
            spent[what].drop()


def cold_pages(editor: Any, args: argparse.Namespace, spent: Spent) -> int:
    """Pages of PAGE lines, read as before a request that may change all of them; how many tokens they have in the middle."""
    from copydesk.request import EditRequest

    sizes: list[int] = []
    for text in texts(args):
        document = editor.open("page.py", "".join(split_lines(text)[:PAGE]))
        plan = document.plan(EditRequest(scope=[(1, PAGE)], narrow=False))
        with editor.cache.acquire((document.id, plan.key), plan.prefix) as lease:
            spent.of(partial(list, editor.cache.warm(lease)))
            sizes.append(lease.computed)
        document.close()
    return round(median(sizes))


def opened(editor: Any, args: argparse.Namespace) -> None:
    """Documents as a person has them open: pages in sight warm, one request each."""
    from copydesk.request import EditRequest

    for number, text in enumerate(texts(args)):
        document = editor.open(f"open{number}.py", text)
        first = len(document.lines.lines) // 2
        document.look_at(first, min(first + PAGE, len(document.lines.lines)))
        while document.warm_step():
            pass
        document.edit(
            EditRequest(scope=[(first, first + 3)], instruction="add a comment", narrow=False, max_tokens=16)
        )


def texts(args: argparse.Namespace) -> Iterator[str]:
    """As many files as documents are to be open, each of other functions of the standard library."""
    made = 0
    parts: list[str] = []
    for function in functions():
        parts.append(function)
        if sum(part.count("\n") + 2 for part in parts) >= LINES:
            yield HEADER + "\n\n".join(parts)
            made += 1
            parts = []
        if made == args.documents:
            return


# -- tables ----------------------------------------------------------------------------------------------------------


def table(name: str, loads: Sequence[float], found: dict[str, Any]) -> Table:
    rows: list[tuple[Value, ...]] = [row("start of the process to ready", loads, ())]
    names = {
        "load": "Editor.load",
        "cold page": f"cold page of {PAGE} lines ({found.get('tokens')} tokens)",
        "quick fix": "quick fix, page warm",
        "instruction": "instruction, page warm",
        "forward": "one forward of cold pages and requests",
    }
    for what, title in names.items():
        spent = found["spent"][what]
        rows.append(row(title, spent["wall"], spent["cpu"]))
    memory = [f"{found['rss_loaded'] // MB} MiB loaded"]
    if "rss_open" in found:
        memory.append(f"{found['rss_open'] // MB} MiB with documents open")
    return Table(
        f"{name} ({found['dtype']})",
        ("ms", "n", "min", "p50", "p90", "p99", "p50 of processor time"),
        tuple(rows),
        (f"RSS: {', '.join(memory)}.",),
    )


def row(title: str, wall: Sequence[float], cpu: Sequence[float]) -> tuple[Value, ...]:
    def at(percent: int) -> Value:
        return round(quantiles(wall, n=100, method="inclusive")[percent - 1], 1) if len(wall) > 1 else None

    if not wall:
        return (title, 0, None, None, None, None, None)
    middle = round(median(cpu), 1) if cpu else None
    return (title, len(wall), round(min(wall), 1), round(median(wall), 1), at(90), at(99), middle)


def targets(name: str, found: dict[str, Any]) -> list[Target]:
    told = []
    for what, most in GOALS.items():
        wall = found["spent"][what]["wall"]
        if not wall:
            continue
        value = (
            median(wall) if what != "forward" else quantiles([*wall, wall[0]], n=100, method="inclusive")[98]
        )
        told.append(Target(f"{name}: {what}", f"≤ {most:.0f} ms", f"{value:.0f} ms", value <= most))
    if "rss_open" in found:
        held = found["rss_open"] / MB
        told.append(Target(f"{name}: memory", f"≤ {MOST_MB} MiB", f"{held:.0f} MiB", held <= MOST_MB))
    return told
