"""Shares with their uncertainty. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054
"""Two-sided 95%."""


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `total`, with Wilson's 95% interval (1927): right for small totals and shares near 0 and 1."""

    hits: int
    total: int

    @property
    def value(self) -> float:
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        n = self.total
        if not n:
            return 0.0, 1.0
        p, z2 = self.value, Z * Z
        centre = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return max(0.0, centre - half), min(1.0, centre + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1%} ({low:.1%}-{high:.1%}, {self.hits}/{self.total})"
