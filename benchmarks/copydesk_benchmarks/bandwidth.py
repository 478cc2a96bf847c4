"""How fast this machine moves bytes: the limit a decode step is held against.

A decode step reads every weight once, so bytes over bandwidth is the time no implementation beats. Measured by copying a
buffer, counting bytes read and bytes written. Knows no model.
"""

from __future__ import annotations

import torch

from copydesk_benchmarks.timing import stopwatch

LARGE = 256 << 20
"""Bytes on a CPU: many times its last cache."""
LARGE_CUDA = 4 << 30
RUNS = 9


def copy_bandwidth(device: torch.device, size: int | None = None) -> float:
    """Bytes a second, the best of some copies of `size` bytes (default: far more than any cache holds).

    A buffer that fits a cache measures that cache, which is where the weights of a small model lie.
    """
    if size is None:
        size = LARGE_CUDA if device.type == "cuda" else LARGE
    source = torch.ones(max(1, size // 4), dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    repeats = max(1, (LARGE >> 2) // size)
    timed = stopwatch(device)

    def copies() -> None:
        for _ in range(repeats):
            target.copy_(source)

    copies()
    seconds = min(timed(copies) for _ in range(RUNS)) / repeats
    return 2 * source.numel() * 4 / seconds
