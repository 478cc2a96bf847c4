"""How fast this machine multiplies matrices: what a training run's speed is measured against. Knows no model."""

from __future__ import annotations

import time
from functools import cache

import torch


@cache
def matmul_rate(
    device: torch.device | str, dtype: torch.dtype, *, size: int | None = None, runs: int = 4
) -> float:
    """The best FLOP/s of a square product of `dtype` on `device`, over `runs` runs. Takes about a second, the
    first time that a process asks."""
    device = torch.device(device)
    size = size or (8192 if device.type == "cuda" else 1536)
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    best = float("inf")
    for _ in range(runs + 1):
        started = time.perf_counter()
        a @ b
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        best = min(best, time.perf_counter() - started)
    return 2.0 * size**3 / best
