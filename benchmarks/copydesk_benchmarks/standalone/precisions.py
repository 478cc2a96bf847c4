"""One model in fp32, bf16 and int8: time of a forward, memory, time to load, latency of requests, and what is answered.

    python -m copydesk_benchmarks precisions [--model DIR] [--beside DIR] [--examples DIR] [--count 40] [--seconds S]
        [--documents 20] [--threads 1] [--dtypes fp32,bf16,int8]

`--examples` names a folder of shards with held-out examples (`copydesk train shards`); without it the training's defects are put
into files of the standard library. `--beside` names another model (default: the embedded one, in its own precision) whose memory
and latency stand in the same table. Forwards of all precisions take turns in one process, and their CPU time is counted, which
other processes disturb least. Everything else is measured in a process of its own for each precision, by wall clock. Each request
is greedy, and asked twice on one document: with its page cold, then warm. `--seconds` bounds the requests of each process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import torch

from copydesk.editor import Editor
from copydesk.models.feed import Feed
from copydesk.models.load import load
from copydesk.models.model import Model
from copydesk.models.row import SHARED
from copydesk.serving.loaded_model import EMBEDDED
from copydesk_benchmarks.examples import held_out_examples, library_examples
from copydesk_benchmarks.facts import facts
from copydesk_benchmarks.report import Report, Table, Value
from copydesk_training.example import Example

ROWS = (1, 8, 64, 256)
PAST = 300
"""Tokens that the forwards attend to before their own."""
ROUNDS = 8
MAX_TOKENS = 96
MB = 1 << 20


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="standard")
    parser.add_argument("--beside", default=str(EMBEDDED))
    parser.add_argument("--examples", type=Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtypes", default="fp32,bf16,int8")
    parser.add_argument("--only", help="measure this precision in this process, and print JSON")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.only:
        print(json.dumps(measured(args)))
        return 0
    dtypes = args.dtypes.split(",")
    machine = facts(torch.device("cpu"))
    found = {dtype: in_a_child(args.model, dtype) for dtype in dtypes}
    beside = in_a_child(args.beside, "auto")
    setting: dict[str, Value] = {"model": args.model, "seed": args.seed, "threads": args.threads}
    report = Report(
        "precisions",
        "Precisions",
        f"python -m copydesk_benchmarks precisions {' '.join(sys.argv[1:])}",
        datetime.now(UTC).date().isoformat(),
        machine,
        setting,
    )
    report.tables = [
        forwards(args.model, dtypes),
        costs({**found, Path(args.beside).name: beside}),
        answers(found),
    ]
    print(report.markdown())
    return 0


def in_a_child(model: str, dtype: str) -> dict[str, Any]:
    """What `measured` finds in a process of its own."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "copydesk_benchmarks",
        "precisions",
        *sys.argv[1:],
        "--model",
        model,
        "--only",
        dtype,
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measured(args: argparse.Namespace) -> dict[str, Any]:
    """Seconds to load, memory, latencies in ms, and each request's answer (None where it was refused)."""
    started = time.perf_counter()
    editor = Editor.load(args.model, device="cpu", dtype=args.only, warm=False)
    loaded = time.perf_counter() - started
    torch.set_num_threads(args.threads)
    examples = list(
        islice(
            held_out_examples(args.examples, args.seed) if args.examples else library_examples(args.seed),
            args.count,
        )
    )
    process = psutil.Process()
    found: dict[str, Any] = {"load": loaded, "rss_loaded": process.memory_info().rss}
    cold: list[float] = []
    warm: dict[str, list[float]] = {"diagnostic": [], "instruction": []}
    said: list[tuple[str | None, bool]] = []
    began = time.perf_counter()
    for example in examples:
        if time.perf_counter() - began > args.seconds:
            break
        first, again, answer = asked(editor, example)
        cold.append(first)
        warm["diagnostic" if example.request.diagnostics else "instruction"].append(again)
        said.append((answer, answer == example.after))
    for example in examples[: args.documents]:
        document = editor.open("example.py", example.before)
        while document.warm_step():
            pass
    found["rss_open"] = process.memory_info().rss
    found.update(cold=cold, said=said, **warm)
    return found


def asked(editor: Editor, example: Example) -> tuple[float, float, str | None]:
    """Milliseconds with a cold page and with a warm one, and the text that came of it."""
    document = editor.open("example.py", example.before)
    took: list[float] = []
    answer: str | None = None
    for _ in range(2):
        start = time.perf_counter()
        result = document.edit(example.request)
        took.append((time.perf_counter() - start) * 1e3)
        done = result.status in ("edited", "unchanged") and result.program is not None
        answer = result.program.resolve(example.before) if done and result.program is not None else None
    document.close()
    return took[0], took[1], answer


def forwards(source: str, dtypes: list[str]) -> Table:
    """ms of one forward of so many tokens over PAST others, the least of some rounds."""
    models = {dtype: load(source, device="cpu", dtype=dtype).model for dtype in dtypes}
    rows = {dtype: model.new_row(PAST + max(ROWS)) for dtype, model in models.items()}
    for dtype, model in models.items():
        model.forward([Feed(rows[dtype], SHARED, range(100, 100 + PAST), range(PAST))])
    least = {(dtype, n): float("inf") for dtype in dtypes for n in ROWS}
    for _ in range(ROUNDS):
        for n in ROWS:
            for dtype, model in models.items():
                least[dtype, n] = min(least[dtype, n], one_forward(model, rows[dtype], n))
    return Table(
        f"One forward over {PAST} tokens of context, ms of CPU time, all threads",
        ("precision", *(f"{n} tokens" for n in ROWS)),
        tuple((dtype, *(round(least[dtype, n], 1) for n in ROWS)) for dtype in dtypes),
        (f"The least of {ROUNDS} rounds in which the precisions take turns.",),
    )


def one_forward(model: Model, row: Any, n: int) -> float:
    """ms of CPU time; the row is left as it was."""
    start = time.process_time()
    model.forward([Feed(row, 1, range(200, 200 + n), range(PAST, PAST + n), None, [n - 1])])
    took = time.process_time() - start
    row.release(1)
    return took * 1e3


def costs(found: dict[str, dict[str, Any]]) -> Table:
    """Memory and latency."""

    def middle(times: list[float]) -> Value:
        return round(median(times)) if times else None

    return Table(
        "Memory and latency, by wall clock",
        (
            "precision", "load, s", "RSS loaded, MB", "RSS with documents open, MB", "warm quick fix p50, ms",
            "warm instruction p50, ms", "cold request p50, ms",
        ),
        tuple(
            (
                name, round(one["load"], 2), round(one["rss_loaded"] / MB), round(one["rss_open"] / MB),
                middle(one["diagnostic"]), middle(one["instruction"]), middle(one["cold"]),
            )
            for name, one in found.items()
        ),
    )  # fmt: skip


def answers(found: dict[str, dict[str, Any]]) -> Table:
    """How often a precision is right, and says what the first one says, on the requests that all were asked."""
    asked_all = min(len(one["said"]) for one in found.values())
    reference = next(iter(found.values()))["said"]
    rows: list[tuple[Value, ...]] = []
    for dtype, one in found.items():
        right = sum(correct for _, correct in one["said"][:asked_all])
        same = sum(
            ours[0] == theirs[0] for ours, theirs in zip(one["said"][:asked_all], reference, strict=False)
        )
        rows.append((dtype, asked_all, right, same))
    return Table(
        "Answers", ("precision", "requests", "exactly right", f"as {next(iter(found))}"), tuple(rows)
    )
