"""What one forward pass is asked: tokens per row and owner, and who among them sees what.

Knows the visibility rule and turns it into slots and masks. Does not know weights, tensors or vocabularies.

The rule: a query token sees the slots that were live in its row before the forward, belong to the shared
          owner or its own and have a smaller position; of its own feed it sees its ancestors and itself.
          Feeds of one forward never see each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from copydesk.errors import CacheError, ContextLengthError
from copydesk.models.row import SHARED, BoolArray, Row


@dataclass(slots=True, eq=False)
class Feed:
    """Tokens to append to one owner of one row.

    positions: one per token; a child's is larger than its parent's, the first larger than what it should see.
    parents:   index of each token's parent among `tokens`, smaller than its own; -1 hangs it on everything
               before
               the feed. None: a chain.
    outputs:   indices of tokens whose next-token logits are wanted.
    slots:     filled in by the forward: where the tokens lie now, valid until the row's next forward.
    earlier:   slots of the tree's first tokens, which were forwarded before. `parents` begins with theirs, and counts them too.
    """

    row: Row
    owner: int
    tokens: Sequence[int]
    positions: Sequence[int]
    parents: Sequence[int] | None = None
    outputs: Sequence[int] = ()
    slots: list[int] = field(default_factory=list)
    earlier: Sequence[int] = ()


@dataclass(slots=True, eq=False)
class RowPlan:
    """All feeds of one forward that share a row. Nothing in the row is marked until `commit`.

    slots: where each token goes, feed after feed.
    start: slots[0] when the slots are contiguous and ascending, else -1.
    keys:  slots attention reaches over: [0, keys).
    mask:  bool [tokens, keys], True = visible; None when plain causal attention over all keys says the same
           (and for a single token: when it sees every key).
    """

    row: Row
    feeds: list[Feed]
    slots: list[int]
    start: int
    keys: int
    mask: BoolArray | None

    def commit(self) -> None:
        """Mark the written slots live and tell each feed its slots."""
        row, slots = self.row, self.slots
        if len(self.feeds) == 1:
            feed = self.feeds[0]
            feed.slots = slots
            row.write(slots, feed.owner, feed.tokens, feed.positions)
            return
        offset = 0
        for feed in self.feeds:
            end = offset + len(feed.tokens)
            feed.slots = slots[offset:end]
            row.write(feed.slots, feed.owner, feed.tokens, feed.positions)
            offset = end


def ancestry(parents: Sequence[int]) -> BoolArray:
    """bool [n, n]: entry (i, j) says that token i sees token j of the same feed. Parents come before
    children."""
    n = len(parents)
    seen = np.eye(n, dtype=np.bool_)
    for child, parent in enumerate(parents):
        if parent >= 0:
            seen[child] |= seen[parent]
    return seen


def plan(feeds: Sequence[Feed]) -> list[RowPlan]:
    """One plan per row, rows in order of first mention.

    Rows more than half dead are compacted and short ones grown here; beyond that rows are untouched, so a
    forward that fails afterwards leaves them as they were. Raises ContextLengthError when a row would pass
    its model's context, CacheError for a malformed feed.
    """
    if len(feeds) == 1:
        return [_plan_row(feeds[0].row, [feeds[0]])]
    groups: dict[int, tuple[Row, list[Feed]]] = {}
    for feed in feeds:
        groups.setdefault(id(feed.row), (feed.row, []))[1].append(feed)
    return [_plan_row(row, members) for row, members in groups.values()]


def _plan_row(row: Row, feeds: list[Feed]) -> RowPlan:
    if row.dead * 2 > row.used:
        row.compact()
    count = 0
    for feed in feeds:
        _check(feed)
        count += len(feed.tokens)
    slots = row.vacant(count)
    contiguous = not row.dead or count == 0 or slots[-1] - slots[0] == count - 1
    start = (slots[0] if count else row.used) if contiguous else -1
    keys = max(row.used, slots[-1] + 1) if count else row.used
    first = feeds[0]
    plain = (
        len(feeds) == 1
        and count > 0
        and (first.parents is None or (count == 1 and not first.earlier))
        and start == row.used
        and row.sees_all(first.owner, first.positions[0])
    )
    return RowPlan(row, feeds, slots, start, keys, None if plain else _mask(row, feeds, slots, keys))


def _check(feed: Feed) -> None:
    tokens, positions, parents = feed.tokens, feed.positions, feed.parents
    n = len(tokens)
    if len(positions) != n:
        raise CacheError("a feed needs one position per token")
    if parents is None:
        if n > 1 and any(a >= b for a, b in pairwise(positions)):
            raise CacheError("positions along a chain must ascend")
        if n and positions[-1] >= feed.row.max_positions:
            raise ContextLengthError(_too_long(positions[-1], feed.row))
        return
    before = len(feed.earlier)
    if len(parents) != before + n:
        raise CacheError("a feed needs one parent per token")
    if before:
        positions = [*feed.row.position[list(feed.earlier)].tolist(), *positions]
    for child, parent in enumerate(parents):
        if not -1 <= parent < child:
            raise CacheError("a parent must come before its child")
        if parent >= 0 and positions[parent] >= positions[child]:
            raise CacheError("positions along a path must ascend")
    if n and max(positions) >= feed.row.max_positions:
        raise ContextLengthError(_too_long(max(positions), feed.row))


def _too_long(position: int, row: Row) -> str:
    return f"position {position} lies behind the model's context of {row.max_positions} tokens"


def _mask(row: Row, feeds: list[Feed], slots: list[int], keys: int) -> BoolArray:
    """bool [tokens, keys] by the rule of this module."""
    used = row.used
    mask = np.zeros((len(slots), keys), dtype=np.bool_)
    live, owner, position = row.live[:used], row.owner[:used], row.position[:used]
    offset = 0
    for feed in feeds:
        n = len(feed.tokens)
        if not n:
            continue
        family = owner == feed.owner
        if feed.owner != SHARED:
            family |= owner == SHARED
        family &= live
        queries = np.asarray(feed.positions, dtype=np.int64)
        mask[offset : offset + n, :used] = family & (position < queries[:, None])
        own = np.asarray(slots[offset : offset + n], dtype=np.int64)
        if feed.parents is None:
            mask[offset : offset + n, own] = np.tri(n, dtype=np.bool_)
        else:
            before = len(feed.earlier)
            seen = ancestry(feed.parents)[before:]
            mask[offset : offset + n, own] = seen[:, before:]
            if before:
                mask[offset : offset + n, list(feed.earlier)] = seen[:, :before]
        offset += n
    return mask
