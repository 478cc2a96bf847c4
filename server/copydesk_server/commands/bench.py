"""`copydesk bench`: every figure copydesk states, by one command, as JSON, Markdown and pictures in a folder.

Threads are set before anything is loaded, and a step is imported when it runs: what needs little runs where little is installed.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module

import torch
from rich.console import Console

from copydesk.errors import CopydeskError
from copydesk_benchmarks import facts
from copydesk_benchmarks.server.bench import Bench, data_folder

STEPS = {
    "kernel": "forwards:run",
    "ceiling": "texts:run_ceiling",
    "perturbation": "texts:run_perturbation",
    "edit": "race:run",
    "selector": "answers:run_selector",
    "serve": "serving:run",
    "quality": "answers:run_quality",
}
"""Module and function of each, in the order `all` runs them."""


NEED_DATA = ("ceiling", "perturbation", "selector", "quality")


def run(args: argparse.Namespace) -> int:
    """Run what was asked for. 1 where a target was missed, 2 where a step of several failed. Raises CopydeskError, OSError."""
    if args.what in ("instructions", "fidelity"):
        code: int = import_module(f"copydesk_benchmarks.{args.what}").run(args)
        return code
    chosen = tuple(STEPS) if args.what == "all" else (args.what,)
    if any(what in NEED_DATA for what in chosen):
        data_folder(args)  # half an hour later would be too late to ask
    torch.set_num_threads(args.threads or facts.default_threads())
    bench = Bench(args)
    code = 0
    out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for what in chosen:
        started = time.perf_counter()
        module, _, step = STEPS[what].partition(":")
        try:
            report = getattr(import_module(f"copydesk_benchmarks.server.{module}"), step)(bench)
        except (CopydeskError, OSError) as error:
            if len(chosen) == 1:
                raise
            bench.console.print(f"{what} failed: {error}", style="red")
            code = 2
            continue
        path = report.save(bench.out)
        out.print(report.markdown())
        code = max(code, int(any(target.met is False for target in report.targets)))
        bench.say(f"{what}: {time.perf_counter() - started:.0f} s, {path}")
    return code
