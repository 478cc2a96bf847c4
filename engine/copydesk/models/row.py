"""One packed row: which slot of the KV buffers holds which token, for whom, at which position.

Knows slots, owners, positions and liveness, and asks a store to move or grow the tensors behind them. Does
not know what the tokens mean, how attention is computed, nor which rows exist beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from copydesk.errors import CacheError

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

SHARED = 0
"""The owner whose slots every owner of the row sees: the warm prefix of a page."""

GRAIN = 256
"""The smallest capacity, and the step between small ones."""


def bucket(slots: int) -> int:
    """The capacity given to a row that asks for `slots` slots, few enough sizes that freed buffers fit again.

    Multiples of 256 up to 2048, then four sizes per doubling.
    """
    grain = max(GRAIN, 1 << max(0, (slots - 1).bit_length() - 3))
    return max(1, -(-slots // grain)) * grain


class Store(Protocol):
    """The tensors behind a row's slots."""

    @property
    def nbytes(self) -> int:
        """Bytes held for the row, used or not."""
        ...

    def resize(self, capacity: int, used: int) -> None:
        """Make room for `capacity` slots, keeping the content of the first `used`. On failure nothing
        changed."""
        ...

    def move(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Copy slot `sources[i]` to `targets[i]`, all read before any is written."""
        ...

    def adopt(self, other: Store, count: int) -> None:
        """Copy the first `count` slots of another store of the same kind."""
        ...

    def release(self) -> None:
        """Give the tensors back; the row is not used again."""
        ...


class Row:
    """Slots of one packed row.

    `token`, `position`, `owner` and `live` are arrays over capacity; only the first `used` entries mean
    anything, and the last used slot is always live. Slot numbers stay valid until the next forward over the
    row, which may compact it; what lasts is (owner, position), see `rollback` and `release`.
    """

    __slots__ = (
        "capacity",
        "dead",
        "last_position",
        "live",
        "max_positions",
        "owner",
        "owners",
        "position",
        "store",
        "token",
        "used",
    )

    def __init__(self, store: Store, capacity: int, max_positions: int) -> None:
        self.store = store
        self.capacity = capacity
        self.max_positions = max_positions
        """Positions the model knows; a packed row may have more slots than that."""
        self.used = 0
        self.dead = 0
        self.last_position = -1
        """Highest position of a live slot, -1 when there is none."""
        self.owners: dict[int, int] = {}
        """Live slots per owner; owners without any are absent."""
        self.token: IntArray = np.zeros(capacity, dtype=np.int64)
        self.position: IntArray = np.zeros(capacity, dtype=np.int64)
        self.owner: IntArray = np.zeros(capacity, dtype=np.int64)
        self.live: BoolArray = np.zeros(capacity, dtype=np.bool_)

    def __len__(self) -> int:
        """Live slots."""
        return self.used - self.dead

    @property
    def nbytes(self) -> int:
        """Bytes of KV held for this row."""
        return self.store.nbytes

    # -- reading ---------------------------------------------------------------------------------------------

    def slots_of(self, owner: int) -> IntArray:
        """Live slots of `owner`, by position."""
        slots = np.flatnonzero(self.live[: self.used] & (self.owner[: self.used] == owner))
        return slots[np.argsort(self.position[slots], kind="stable")]

    def tokens_of(self, owner: int) -> list[int]:
        """Tokens of `owner`, by position."""
        tokens: list[int] = self.token[self.slots_of(owner)].tolist()
        return tokens

    def sees_all(self, owner: int, position: int) -> bool:
        """Whether a query of `owner` at `position` sees every used slot, so that no mask is needed."""
        if self.dead or position <= self.last_position:
            return False
        owners = self.owners
        return len(owners) <= (owner in owners) + (owner != SHARED and SHARED in owners)

    # -- growing and writing ---------------------------------------------------------------------------------

    def reserve(self, slots: int) -> None:
        """Make room for `slots` slots in all. What the store raises when memory is short leaves the row
        unchanged."""
        if slots <= self.capacity:
            return
        capacity = bucket(max(slots, self.capacity + self.capacity // 4))
        self.store.resize(capacity, self.used)
        extra = capacity - self.capacity
        self.token = np.pad(self.token, (0, extra))
        self.position = np.pad(self.position, (0, extra))
        self.owner = np.pad(self.owner, (0, extra))
        self.live = np.pad(self.live, (0, extra))
        self.capacity = capacity

    def vacant(self, count: int) -> list[int]:
        """`count` slots that may be written next: dead ones first, then new ones at the end. Marks
        nothing."""
        used = self.used
        if not self.dead:
            self.reserve(used + count)
            return list(range(used, used + count))
        slots: list[int] = np.flatnonzero(~self.live[:used])[:count].tolist()
        self.reserve(used + count - len(slots))
        slots.extend(range(used, used + count - len(slots)))
        return slots

    def write(
        self, slots: Sequence[int], owner: int, tokens: Sequence[int], positions: Sequence[int]
    ) -> None:
        """Mark `slots`, the next ones that `vacant` names, live with these contents. Their tensors are
        written."""
        count = len(slots)
        if not count:
            return
        used = self.used
        end = slots[-1] + 1
        if slots[0] == used:
            self.token[used:end] = tokens
            self.position[used:end] = positions
            self.owner[used:end] = owner
            self.live[used:end] = True
            self.used = end
        else:
            index = np.asarray(slots)
            self.token[index] = tokens
            self.position[index] = positions
            self.owner[index] = owner
            self.live[index] = True
            self.used = max(used, end)
            self.dead -= count - (self.used - used)
        self.owners[owner] = self.owners.get(owner, 0) + count
        highest = positions[-1] if count == 1 else max(positions)
        if highest > self.last_position:
            self.last_position = highest

    def adopt(self, other: Row, count: int) -> None:
        """Begin this empty row with the first `count` slots of `other`, which must be live and shared."""
        if self.used or not other.live[:count].all() or (other.owner[:count] != SHARED).any():
            raise CacheError("only an empty row can adopt, and only a shared prefix")
        self.reserve(count)
        self.store.adopt(other.store, count)
        self.write(range(count), SHARED, other.token[:count].tolist(), other.position[:count].tolist())

    # -- giving back -----------------------------------------------------------------------------------------

    def free(self, slots: Iterable[int]) -> None:
        """Mark live `slots` dead (a rejected draft); those at the end leave the row at once. O(slots) then.

        Raises CacheError for a slot that is not live, before anything changed.
        """
        index = np.fromiter(slots, dtype=np.int64)
        if index.size == 0:
            return
        if index.min() < 0 or index.max() >= self.used or not self.live[index].all():
            raise CacheError("a slot was freed that holds nothing")
        if index.size > 1 and np.unique(index).size != index.size:
            raise CacheError("a slot was freed twice")
        self._kill(index)

    def truncate(self, position: int) -> int:
        """Drop every slot at `position` or behind it, of all owners. Returns how many were dropped."""
        return self._drop(self.position[: self.used] >= position)

    def rollback(self, owner: int, position: int) -> int:
        """Drop the slots of `owner` at `position` or behind it. Returns how many were dropped."""
        used = self.used
        return self._drop((self.owner[:used] == owner) & (self.position[:used] >= position))

    def release(self, owner: int) -> int:
        """Drop all slots of `owner`. Returns how many were dropped."""
        return self._drop(self.owner[: self.used] == owner)

    def clear(self) -> None:
        """Drop everything; the capacity stays."""
        self.live[: self.used] = False
        self.used = 0
        self.dead = 0
        self.last_position = -1
        self.owners.clear()

    def _drop(self, chosen: BoolArray) -> int:
        index = np.flatnonzero(chosen & self.live[: self.used])
        if index.size:
            self._kill(index)
        return int(index.size)

    def _kill(self, index: IntArray) -> None:
        count = int(index.size)
        if len(self.owners) == 1:
            self._forget(next(iter(self.owners)), count)
        else:
            owners, counts = np.unique(self.owner[index], return_counts=True)
            for owner, freed in zip(owners.tolist(), counts.tolist(), strict=True):
                self._forget(owner, freed)
        self.live[index] = False
        highest_freed = int(self.position[index].max())
        self.dead += count
        self._trim()
        if highest_freed >= self.last_position:
            self.last_position = int(self.position[: self.used][self.live[: self.used]].max(initial=-1))

    def _forget(self, owner: int, count: int) -> None:
        left = self.owners[owner] - count
        if left:
            self.owners[owner] = left
        else:
            del self.owners[owner]

    def _trim(self) -> None:
        """Let dead slots at the end leave the row."""
        used = self.used
        live = self.live
        while used and not live[used - 1]:
            used -= 1
        self.dead -= self.used - used
        self.used = used

    # -- moving ----------------------------------------------------------------------------------------------

    def move(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Move live slots to dead ones (or onto one another's places), bookkeeping and tensors alike.

        Raises CacheError when a source is not live, or a target is live and no source.
        """
        if list(sources) == list(targets):
            return
        source = np.asarray(sources, dtype=np.int64)
        target = np.asarray(targets, dtype=np.int64)
        if source.size != target.size or np.unique(source).size != source.size:
            raise CacheError("sources and targets of a move do not pair")
        if np.unique(target).size != target.size or target.min() < 0 or target.max() >= self.used:
            raise CacheError("targets of a move are not places in the row")
        if source.min() < 0 or source.max() >= self.used or not self.live[source].all():
            raise CacheError("a slot was moved that holds nothing")
        if self.live[np.setdiff1d(target, source)].any():
            raise CacheError("a live slot would be overwritten by a move")
        self.store.move(source.tolist(), target.tolist())
        self.token[target] = self.token[source]
        self.position[target] = self.position[source]
        self.owner[target] = self.owner[source]
        self.live[source] = False
        self.live[target] = True
        self._trim()

    def keep(self, slots: Sequence[int], survivors: Sequence[int]) -> list[int]:
        """Of the `slots` one feed wrote keep only `survivors` (a path of a tree), moved down to the lowest of
        them.

        Returns the slots the survivors lie in now, in the order given; a dense row stays dense.
        """
        chosen = set(survivors)
        self.free(slot for slot in slots if slot not in chosen)
        targets = sorted(slots)[: len(survivors)]
        self.move(list(survivors), targets)
        return targets

    def compact(self) -> None:
        """Close all gaps, keeping the order of slots."""
        if not self.dead:
            return
        alive = np.flatnonzero(self.live[: self.used])
        holes = int(np.argmin(self.live[: self.used]))  # everything before the first hole stays
        moving = alive[alive > holes]
        self.move(moving.tolist(), list(range(holes, holes + moving.size)))

    # -- checking --------------------------------------------------------------------------------------------

    def check_integrity(self) -> None:
        """Raises CacheError when the counts and the arrays disagree."""
        used, live = self.used, self.live
        if not 0 <= used <= self.capacity or live.size != self.capacity:
            raise CacheError("row sizes disagree")
        if live[used:].any():
            raise CacheError("a slot behind the end is live")
        if used and not live[used - 1]:
            raise CacheError("the row ends in dead slots")
        if used - int(live[:used].sum()) != self.dead:
            raise CacheError("the count of dead slots is wrong")
        alive = live[:used]
        owners, counts = np.unique(self.owner[:used][alive], return_counts=True)
        if dict(zip(owners.tolist(), counts.tolist(), strict=True)) != self.owners:
            raise CacheError("the counts per owner are wrong")
        highest = int(self.position[:used][alive].max()) if used else -1
        if highest != self.last_position:
            raise CacheError("the highest position is wrong")
