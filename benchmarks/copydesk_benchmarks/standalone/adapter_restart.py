"""What a restart costs: a run that goes on with its optimiser, beside one that starts from the adapter file alone.

    python -m copydesk_benchmarks adapter_restart --base standard-base --shards WORK/shards --run WORK/adapter --steps 40

Both see the same batches at the full rate. The file holds int8 weights and no averages, and a start from it warms up again;
its loss, batch by batch, lies above the other's for a while. The run's folder is copied, not changed.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import torch

from copydesk.adapters.adapter_file import FILE_NAME
from copydesk.models.load import resolve
from copydesk_training.adapters.run import RUN_FILE, AdapterRun, Losses, Options


def main() -> int:
    parser = argparse.ArgumentParser(description="What a restart from an adapter file costs.")
    parser.add_argument("--base", default="standard-base")
    parser.add_argument("--shards", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rate", type=float, default=1e-3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    base, options = resolve(args.base), Options(rate=args.rate)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "kept"
        kept.mkdir()
        shutil.copyfile(args.run / RUN_FILE, kept / RUN_FILE)
        going_on = AdapterRun(base, args.shards, kept, options)
        going_on.save()
        started = time.perf_counter()
        again = AdapterRun(base, args.shards, Path(folder) / "again", options, init=kept / FILE_NAME)
        ready = time.perf_counter() - started
        print(f"loaded in {ready:.1f} s; {going_on.state.requests:,} requests before\n")
        print("| steps | seconds of training | loss, going on | loss, from the file | difference |")
        print("|---|---|---|---|---|")
        losses: tuple[list[float], list[float]] = [], []
        spent = 0.0
        for step in range(1, args.steps + 1):
            for run, seen in zip((going_on, again), losses, strict=True):
                began = time.process_time()
                told = Losses()
                run.step(0.0, told)
                seen.append(told.token_loss or 0.0)
                if run is again:
                    spent += time.process_time() - began
            if step % 5 == 0:
                one, other = (sum(seen[-5:]) / 5 for seen in losses)
                print(
                    f"| {step - 4}-{step} | {spent:.0f} | {one:.3f} | {other:.3f} | {other - one:+.3f} |",
                    flush=True,
                )
    return 0
