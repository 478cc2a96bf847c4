"""The kinds of a shard's examples in the proportions that their emphasis asks for.

What changes nothing in a text, or fits anywhere, finds room on every page; a defect needs lines of its own. Left alone, full
pages would show little but the former. Knows kinds and counts; no texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from copydesk_training.defects import KINDS
from copydesk_training.example import Example

PRIOR = 200
"""Examples in the right proportions that a shard is taken to begin with."""
MOST = 4.0
"""A kind is at most so much likelier to be taken than its share of the examples asks for."""


class Balance:
    """Counts what has been taken so far, and says how much each kind is needed."""

    def __init__(self) -> None:
        total = sum(kind.emphasis for kind in KINDS.values())
        self.shares = {name: kind.emphasis / total for name, kind in KINDS.items()}
        self.counts: Counter[str] = Counter()
        self.total = 0

    def need(self, kind: str) -> float:
        """The share the kind should have over the share it has, at most `MOST`; 1 for kinds without emphasis."""
        wanted = self.shares[kind]
        if not wanted:
            return 1.0
        have = (self.counts[kind] + PRIOR * wanted) / (self.total + PRIOR)
        return min(MOST, wanted / have)

    def thinned(self, examples: Iterable[Example], rng: Random) -> list[Example]:
        """Those most needed first, and fewer of those there are too many of."""
        kept = [(rng.random(), example) for example in examples]
        kept = [(chance, example) for chance, example in kept if chance < self.need(example.kind) ** 2]
        return [example for chance, example in sorted(kept, key=lambda k: k[0] / self.need(k[1].kind))]

    def worth(self, kinds: Sequence[str]) -> float:
        """How many examples a group of these kinds counts for."""
        return sum(self.need(kind) for kind in kinds)

    def add(self, kinds: Sequence[str]) -> None:
        """Count a group that is taken."""
        counted = [kind for kind in kinds if self.shares[kind]]
        self.counts.update(counted)
        self.total += len(counted)
