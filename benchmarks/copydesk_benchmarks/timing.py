"""Times that can be compared: rounds in which every way takes its turn, after warm-up; minimum and median.

A device works on while the clock is read, so a clock waits for it. Knows no model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

import torch

Work = Callable[[], float]
"""Does something once and says how many seconds the part that counts took."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of every run, in order."""

    runs: tuple[float, ...]

    @property
    def minimum(self) -> float:
        return min(self.runs)

    @property
    def median(self) -> float:
        return median(self.runs)


def stopwatch(device: torch.device) -> Callable[[Callable[[], object]], float]:
    """A function that runs work to its end on `device` and returns its seconds."""

    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    def timed(work: Callable[[], object]) -> float:
        wait()
        start = time.perf_counter()
        work()
        wait()
        return time.perf_counter() - start

    return timed


def interleave(works: Mapping[str, Work], rounds: int, *, warmups: int = 1) -> dict[str, Times]:
    """Every work once a round, so that what disturbs the machine disturbs all of them. Warm-up rounds are not counted."""
    for _ in range(warmups):
        for work in works.values():
            work()
    runs: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            runs[name].append(work())
    return {name: Times(tuple(taken)) for name, taken in runs.items()}
