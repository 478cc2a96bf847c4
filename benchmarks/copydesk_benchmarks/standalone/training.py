"""Speed of training: tokens/s, TFLOP/s and the share of this machine's own matrix product rate.

    python -m copydesk_benchmarks training [--sizes s m] [--threads 1 2] [--lengths 320 1024] [--runs 3] [--all]

A step is forward, backward and optimiser over one batch of about 5,120 tokens of equal length, with logits at 30% of them.
FLOPs are the model's (6 a parameter and token, causal attention, the head where logits are made); the optimiser's own are not
counted. `--all` adds fp32 and bf16 without native kernels.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import torch

from copydesk_training import kernels
from copydesk_training.loss import head_loss
from copydesk_training.model import SIZES, Config, TrainingModel
from copydesk_training.optim import MuonAdamW
from copydesk_training.rates import matmul_rate

VOCAB, TOKENS, SHARE = 8384, 5120, 0.3
WAYS: dict[str, tuple[torch.dtype, bool]] = {
    "bf16, native kernels": (torch.bfloat16, True),
    "bf16, torch's operators": (torch.bfloat16, False),
    "fp32, torch's operators": (torch.float32, False),
}


def best(run: Callable[[], None], runs: int) -> float:
    run()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


def row(size: str, way: str, length: int, threads: int, runs: int, device: str) -> str:
    dtype, native = WAYS[way]
    torch.manual_seed(0)
    config = Config(vocab=VOCAB, **SIZES[size])
    use = kernels.load() if native and device == "cpu" else None
    model = TrainingModel(config, device=device, dtype=dtype, kernels=use)
    optimiser = MuonAdamW(model)
    rows = TOKENS // length
    tokens = rows * length
    ids = torch.randint(0, VOCAB, (rows, length), device=device)
    where = torch.randperm(tokens)[: int(tokens * SHARE)].sort().values.to(device)
    target = torch.randint(0, VOCAB, where.shape, device=device)
    coefficient = torch.full(where.shape, 1 / len(where), device=device)

    def passes() -> None:
        hidden = model.hidden(ids).flatten(0, 1)
        loss, _ = head_loss(hidden, model.embedding, where, target, coefficient, model.kernels)
        loss.backward()
        if device != "cpu":
            torch.cuda.synchronize()

    def step() -> None:
        passes()
        optimiser.step(1e-3, 1e-4)

    whole = best(step, runs)
    flops = config.flops(tokens, length, len(where))
    peak = matmul_rate(device, dtype, runs=8)
    optimiser.step = lambda *_: None  # type: ignore[method-assign]
    inner = best(step, runs)
    cells = [
        size, f"{config.matrix_parameters / 1e6:.1f}M", way, str(threads), str(length), f"{tokens / whole:,.0f}",
        f"{flops / whole / 1e12:.3f}", f"{flops / whole / peak:.0%}", f"{flops / inner / peak:.0%}", f"{peak / 1e12:.3f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", nargs="+", default=["s", "m"], choices=list(SIZES))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--lengths", nargs="+", type=int, default=[320, 1024])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--all", action="store_true", help="fp32 and torch's own operators too")
    args = parser.parse_args()
    print(
        f"torch {torch.__version__}, {args.device}, seed 0, minimum of {args.runs} runs after one warm-up\n"
    )
    heads = ("Size", "Parameters", "Way", "Threads", "Length", "Tokens/s", "TFLOP/s")
    print("| " + " | ".join((*heads, "Share", "Without optimiser", "Matrix product, TFLOP/s")) + " |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for threads in args.threads:
        torch.set_num_threads(threads)
        for size in args.sizes:
            for way in WAYS if args.all else list(WAYS)[:1]:
                for length in args.lengths:
                    print(row(size, way, length, threads, args.runs, args.device), flush=True)
    return 0
