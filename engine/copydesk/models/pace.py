"""How many tokens a model forwards in a given time on this machine, so that nobody waits longer than that for a forward to end.

The time of a forward is taken to be a fixed part (the weights are read once), one that grows with its tokens, one that grows
with tokens times keys, and one for each token whose logits are wanted. All four are measured when a model is loaded, in time
of the processor, which other processes disturb least: the thread that forwards works as long as any of those that help it.
Knows rows and times; nothing of documents.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from copydesk.models.feed import Feed
from copydesk.models.kv import PooledStore
from copydesk.models.model import Model
from copydesk.models.row import SHARED, Row

CHUNK = 128
"""Tokens of a page that are forwarded together at most; no forward of a small model takes long at that size."""
SHARE = 0.9
"""Of the time there is: what is measured is the least of some rounds."""
GRAIN = 8
"""Chunks are multiples of so many tokens: kernels work in blocks."""
LEAST = 48
"""Tokens of the smallest chunk: below it, a forward is little shorter and a page takes much longer."""

FEW, MANY = 16, 64
"""Tokens of the forwards that are measured, ..."""
KEYS = 512
"""... and the tokens before them in one of these."""
ROUNDS = 2
QUICK = 0.01
"""A model that forwards `FEW` tokens in so many seconds is not bounded."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of a forward: `fixed`, and for each token `token + key * (keys it attends over)` and `output` for its logits.

    most: seconds that a forward should take; None: as long as it likes.
    """

    most: float | None = None
    fixed: float = 0.0
    token: float = 0.0
    key: float = 0.0
    output: float = 0.0

    def cost(self, keys: int) -> float:
        """Seconds that a token adds to a forward whose row has so many keys before it."""
        return self.token + self.key * keys

    @property
    def room(self) -> float:
        """Seconds that the tokens of one forward may take together; infinite without a bound.

        Never less than the fixed part: a forward is not made so short that this is most of it.
        """
        return float("inf") if self.most is None else max(self.most - self.fixed, self.fixed)

    def tokens(self, keys: int) -> int:
        """How many tokens to forward at a time on a row with so many keys before them."""
        if self.most is None:
            return CHUNK
        return max(LEAST, int(self.room / self.cost(keys)) // GRAIN * GRAIN)


UNBOUNDED = Pace()


def measured(model: Model, most: float) -> Pace:
    """The pace of `model` for forwards of `most` seconds; `UNBOUNDED` where it is quick, or not on a CPU.

    Takes a few forwards, which a first request would have been slower without.
    """
    keys = min(KEYS, model.max_positions - MANY)
    if model.device.type != "cpu" or keys < MANY:
        return UNBOUNDED
    row = model.new_row(keys + MANY)
    try:
        few = _seconds(model, row, FEW)
        if few <= QUICK:
            return UNBOUNDED
        many = _seconds(model, row, MANY)
        for tensor in cast(PooledStore, row.store).buffer:
            tensor.zero_()  # what was there before may be no number
        row.write(range(keys), SHARED, [0] * keys, range(keys))
        behind = _seconds(model, row, MANY)
        told = _seconds(model, row, MANY, MANY)
    finally:
        row.store.release()
        model.pool.relieve()
    token = max(many - few, 0.0) / (MANY - FEW)
    return Pace(
        most * SHARE,
        max(many - token * MANY, 0.0),
        max(token, 1e-9),
        max(behind - many, 0.0) / (MANY * keys),
        max(told - behind, 0.0) / (MANY - 1),
    )


def _seconds(model: Model, row: Row, count: int, outputs: int = 1) -> float:
    """The least time of a forward of so many tokens behind the row's, and the logits of its last; the row is left as it was."""
    first = len(row)
    least = float("inf")
    for _ in range(ROUNDS):
        started = time.thread_time()
        wanted = range(count - outputs, count)
        model.forward([Feed(row, 1, [0] * count, range(first, first + count), None, wanted)])
        least = min(least, time.thread_time() - started)
        row.release(1)
    return least
