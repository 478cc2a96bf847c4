"""One warm page and the leases that requests hold on it: a row, the tokens it should hold, and who uses it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from types import TracebackType

import numpy as np

from copydesk.errors import CacheError
from copydesk.models.row import SHARED, Row

Key = tuple[Hashable, Hashable]
"""(document, page)."""


@dataclass(slots=True, eq=False)
class Entry:
    """A row whose shared prefix is a prefix of `tokens`, in slots 0, 1, 2, ... at positions 0, 1, 2, ..."""

    key: Key
    row: Row
    tokens: tuple[int, ...]
    pins: int = 0
    next_owner: int = 1

    @property
    def warm(self) -> int:
        """Tokens of the page whose keys and values the row holds."""
        return self.row.owners.get(SHARED, 0)

    def common(self, tokens: tuple[int, ...]) -> int:
        """How many of the row's shared tokens equal the first ones of `tokens`, compared one by one."""
        held = self.row.token[: self.warm]
        n = min(held.size, len(tokens))
        differs = np.flatnonzero(held[:n] != np.asarray(tokens[:n], dtype=held.dtype))
        return int(differs[0]) if differs.size else n

    def check_integrity(self) -> None:
        """Raises CacheError when the row does not match the entry."""
        self.row.check_integrity()
        warm = self.warm
        if warm > len(self.tokens) or tuple(self.row.token[:warm].tolist()) != self.tokens[:warm]:
            raise CacheError(f"page {self.key} holds tokens that are not its own")
        if warm and (
            not self.row.live[:warm].all()
            or (self.row.owner[:warm] != SHARED).any()
            or (self.row.position[:warm] != np.arange(warm)).any()
        ):
            raise CacheError(f"the shared prefix of page {self.key} is not at the start of its row")
        if self.pins < 0 or (not self.pins and set(self.row.owners) - {SHARED}):
            raise CacheError(f"page {self.key} holds slots of a request that has ended")


@dataclass(slots=True, eq=False)
class Lease:
    """A request's hold on a warm page. While held, the row is neither evicted nor truncated.

    tokens:   the page; owners of this lease begin at position len(tokens), once the page is warm.
    computed: tokens forwarded to warm the page through this lease.
    """

    entry: Entry
    tokens: tuple[int, ...]
    _release: Callable[[Lease], None]
    owners: list[int] = field(default_factory=list)
    computed: int = 0
    released: bool = False

    @property
    def row(self) -> Row:
        """The packed row; slots of owner 0 are the page."""
        return self.entry.row

    @property
    def owner(self) -> int:
        """The first owner of this lease."""
        return self.owners[0]

    @property
    def warm(self) -> int:
        """Tokens of the page already in the row."""
        return self.entry.warm

    @property
    def ready(self) -> bool:
        """Whether the whole page is in the row."""
        return self.entry.warm == len(self.tokens)

    def fork(self) -> int:
        """Another owner on the same page, for another candidate."""
        owner = self.entry.next_owner
        self.entry.next_owner += 1
        self.owners.append(owner)
        return owner

    def release(self) -> None:
        """Roll the row back to the page: drop what all owners of this lease appended. May be
        called again."""
        if not self.released:
            self.released = True
            self._release(self)

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
