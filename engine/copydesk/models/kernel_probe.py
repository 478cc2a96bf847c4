"""Which precision and how many threads this machine runs a model's linear layers fastest with, as it is loaded now.

Two threads on busy cores cost several times what one does, and which product of matrices is fast differs from processor to
processor; so both are measured when a model is loaded, on layers of its size, for some tens of milliseconds. Knows sizes; no
weights.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil
import torch

from copydesk.models import int8_kernels
from copydesk.models.int8_linear import Int8Linear, is_exact
from copydesk.models.linear import linear, pack, packs

ROWS = (1, 64)
"""Rows of a step that writes, and of one that reads."""
WRITES = 16
"""Steps that write for one that reads."""
ROUNDS = 3
BESIDE = 2.0
"""How many times as fast int8's layers must be without native kernels: the attention that goes with them, which adds exactly,
takes longer. With native kernels it takes less time than any other."""
MORE_THREADS = 1.25
"""More threads are taken only where they are so many times as fast: others want the cores too."""


@dataclass(frozen=True, slots=True)
class Way:
    """How to run a model: `dtype` is the precision of its linear layers. cost: seconds that the probe took, rows weighted."""

    dtype: torch.dtype
    threads: int
    cost: float


def fastest(hidden: int, inner: int, plain: torch.dtype) -> Way:
    """The best of `plain` and int8, and of one thread, two, and a thread a core, as far as cores are idle.

    hidden, inner: the model's sizes. Never more threads than torch has been given. Leaves that number as it was.
    """
    allowed = torch.get_num_threads()
    idle = max(1, round((psutil.cpu_count() or 1) - psutil.getloadavg()[0]))
    counts = sorted({min(count, allowed, idle) for count in (1, 2, psutil.cpu_count(logical=False) or 1)})
    try:
        with torch.inference_mode():
            return best_of(_timed(_products(hidden, inner, plain), hidden, counts))
    finally:
        torch.set_num_threads(allowed)


def best_of(ways: list[Way]) -> Way:
    """The cheapest, but more threads only where they pay. Fewest threads come first in `ways`."""
    best = ways[0]
    for way in ways[1:]:
        if way.cost * (MORE_THREADS if way.threads > best.threads else 1.0) < best.cost:
            best = way
    return best


def _products(
    hidden: int, inner: int, plain: torch.dtype
) -> dict[torch.dtype, Callable[[torch.Tensor], torch.Tensor]]:
    """A layer of the model's widest kind in each precision, on float32 rows."""
    weight = torch.randn(2 * inner, hidden, generator=torch.Generator().manual_seed(0)).mul_(0.02)
    narrow = weight.to(plain)
    if packs(narrow.device, plain):
        narrow = pack(narrow)
    found: dict[torch.dtype, Callable[[torch.Tensor], torch.Tensor]] = {
        plain: lambda rows: linear(rows.to(plain), narrow)
    }
    kernels = int8_kernels.load()
    if kernels is not None:
        packed = kernels.pack(weight)
        found[torch.int8] = lambda rows: kernels.linear(packed, rows)
    elif is_exact():
        found[torch.int8] = Int8Linear(weight)
    return found


def _timed(
    products: dict[torch.dtype, Callable[[torch.Tensor], torch.Tensor]], hidden: int, counts: list[int]
) -> list[Way]:
    exacting = BESIDE if int8_kernels.load() is None else 1.0
    ways: list[Way] = []
    for threads in counts:
        torch.set_num_threads(threads)
        for dtype, product in products.items():
            took = [_seconds(product, torch.ones(rows, hidden)) for rows in ROWS]
            beside = exacting if dtype == torch.int8 else 1.0
            ways.append(Way(dtype, threads, beside * (WRITES * took[0] + took[1])))
    return ways


def _seconds(product: Callable[[torch.Tensor], torch.Tensor], rows: torch.Tensor) -> float:
    """The least time of some rounds; the first, which sets kernels up, is not among them."""
    product(rows)
    least = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        product(rows)
        least = min(least, time.perf_counter() - started)
    return least
