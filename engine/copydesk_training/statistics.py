"""Shares with their uncertainty. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt

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


@dataclass(frozen=True, slots=True)
class Paired:
    """Two subjects on the same cases: how many both got right, only the first, only the second, and neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def total(self) -> int:
        return self.both + self.first + self.second + self.neither

    @property
    def shares(self) -> tuple[Share, Share]:
        """Each subject's own share."""
        return Share(self.both + self.first, self.total), Share(self.both + self.second, self.total)

    @property
    def difference(self) -> float:
        """The second's share less the first's."""
        return (self.second - self.first) / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the difference: Newcombe's method 10 for paired proportions (Statistics in Medicine 17, 1998)."""
        if not self.total:
            return -1.0, 1.0
        one, two = self.shares
        (low1, high1), (low2, high2) = one.interval, two.interval
        p, q, correlation = one.value, two.value, self._correlation()
        below = _distance(q - low2, high1 - p, correlation)
        above = _distance(high2 - q, p - low1, correlation)
        return max(-1.0, self.difference - below), min(1.0, self.difference + above)

    @property
    def p_value(self) -> float:
        """McNemar's exact test, two-sided: how likely discordant cases so uneven are where both are equally good."""
        discordant = self.first + self.second
        tail = sum(comb(discordant, k) for k in range(min(self.first, self.second) + 1))
        return min(1.0, 2 * tail / 2**discordant)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.difference:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"

    def _correlation(self) -> float:
        """Of the two subjects' hits, corrected for continuity as the method asks."""
        one, two = self.shares
        n = self.total
        spread = one.hits * (n - one.hits) * two.hits * (n - two.hits)
        if not spread:
            return 0.0
        product = self.both * self.neither - self.first * self.second
        corrected = max(product - n / 2, 0.0) if product > 0 else product
        return corrected / sqrt(spread)


def _distance(a: float, b: float, correlation: float) -> float:
    return sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))
