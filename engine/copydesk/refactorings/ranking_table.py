"""The weights of the ranking: few of 2^BITS count for anything, so they are kept in 8 bits and packed.

With fewer places, weights that have nothing to do with each other share one: of held-out requests the right candidate comes first
for half as many with 2^16.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import IO

import numpy as np
from numpy.typing import NDArray

BITS = 22
"""The table has 2^BITS weights."""
FILE = "ranking.npz"
LEAST = 0.05
"""Smaller weights are left out."""
_LARGEST = 127


@dataclass(frozen=True, slots=True)
class RankingTable:
    """weights: int8 [2^BITS]. step: what 1 of them counts for, in logits."""

    weights: NDArray[np.int8]
    step: float

    @classmethod
    def of(cls, weights: NDArray[np.float32]) -> RankingTable:
        """The nearest table; float32 [2^BITS]."""
        step = max(float(np.abs(weights).max()), LEAST) / _LARGEST
        kept = np.where(np.abs(weights) < LEAST, 0.0, weights)
        return cls(np.round(kept / step).astype(np.int8), step)

    @classmethod
    def read(cls, file: IO[bytes]) -> RankingTable:
        """What `write` wrote. Raises ValueError or KeyError for anything else."""
        with np.load(file, allow_pickle=False) as found:
            return cls(found["weights"], float(found["step"]))

    def write(self, file: IO[bytes]) -> None:
        """Compressed. Raises OSError."""
        np.savez_compressed(file, weights=self.weights, step=np.float32(self.step))

    @property
    def logits(self) -> NDArray[np.float32]:
        """The weights themselves: float32 [2^BITS]."""
        return self.weights.astype(np.float32) * np.float32(self.step)

    def total(self, at: NDArray[np.uint32]) -> float:
        """The sum of the weights at some places, in logits."""
        return float(self.weights[at].sum(dtype=np.int64)) * self.step


@cache
def ranking_table() -> RankingTable:
    """The trained one."""
    with (resources.files("copydesk.refactorings") / FILE).open("rb") as file:
        return RankingTable.read(file)
