"""How long a person waits for a quick fix: cold (nothing computed yet) and warm (the page's cache is there), and what it costs.

    python -m copydesk_benchmarks model_quickfix --examples DIR [--model DIR] [--threads 2] [--count 100]

`DIR` is a folder of shards with held-out examples (`copydesk train shards`). Requests are greedy, one at a time; each is asked
twice on one document: first cold, then with its page warm. Target for the embedded model on 2 CPU cores: p50 of 150 ms warm,
500 ms cold.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from statistics import median, quantiles

import torch

from copydesk.decode.counts import Counts
from copydesk.editor import Editor
from copydesk_benchmarks.facts import hardware
from copydesk_training.records import read_held_out


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", required=True)
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--count", type=int, default=100)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    started = time.perf_counter()
    editor = Editor.load(args.model, device="cpu", warm=False)
    loaded = time.perf_counter() - started
    lines = editor.loaded_model.format.page_lines
    rows = [row.example for row in read_held_out(Path(args.examples)) if row.example.located]
    step = max(1, len(rows) // args.count)
    cold: list[float] = []
    warm: list[float] = []
    total = Counts()
    for example in islice(rows, 0, None, step):
        document = editor.open("example.py", example.before)
        for times in (cold, warm):
            start = time.perf_counter()
            result = document.edit(example.request)
            times.append((time.perf_counter() - start) * 1e3)
        total += result.counts
        document.close()
    model = editor.loaded_model.model
    print(f"`python -m copydesk_benchmarks model_quickfix {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; {model.name}, {model.dtype}, pages of {lines} lines; Python "
        f"{platform.python_version()}, torch {version('torch')}; {len(cold)} located requests on unseen packages; "
        f"loaded in {loaded:.1f} s\n"
    )
    print("| ms a request | min | p50 | p90 |\n|---|---|---|---|")
    for name, times in (("cold", cold), ("warm", warm)):
        print(f"| {name} | {min(times):.0f} | {median(times):.0f} | {quantiles(times, n=10)[-1]:.0f} |")
    n = len(warm)
    print(
        f"\nWarm, a request on average: {total.forwards / n:.1f} forwards, {total.generated / n:.1f} tokens generated, "
        f"{total.drafted / n:.1f} drafted, {total.forced / n:.1f} forced, {total.choices / n:.1f} choices; "
        f"{total.covered / n:.0f} tokens of the result copied"
    )
    return 0
