"""Warm prefixes of pages under one byte budget.

Each page of each document has at most one row whose shared prefix is kept between requests. Reuse is verified token by token; a
row in use is never evicted or truncated; the least recently used row is evicted first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence

from copydesk.cache.entry import Entry, Key, Lease
from copydesk.errors import CacheError, ContextLengthError
from copydesk.models.feed import Feed
from copydesk.models.model import Model
from copydesk.models.pace import UNBOUNDED, Pace
from copydesk.models.row import SHARED, bucket

ROOM = 256
"""Slots that a row gets beyond its page, for the request and what it generates. Rows grow when they need more."""


class PageCache:
    """Rows of one model, by (document, page).

    budget: bytes of KV that all rows of the model may take together, including rows outside the cache and pooled
            buffers.
    pace:   how many tokens are warmed per step: a request waits for one step at most.
    computed: tokens forwarded for warming so far.
    """

    def __init__(self, model: Model, budget: int, pace: Pace = UNBOUNDED) -> None:
        self._model = model
        self.pace = pace
        self._entries: OrderedDict[Key, Entry] = OrderedDict()  # least recently used first
        self._detached: list[Entry] = []
        self.computed = 0
        self.evictions = 0
        model.pool.budget = budget
        model.pool.reclaim = self._reclaim

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Key) -> bool:
        return key in self._entries

    @property
    def nbytes(self) -> int:
        """Bytes of KV held, including pooled buffers; never more than the budget."""
        return self._model.pool.bytes_held

    # -- requests --------------------------------------------------------------------------------------------

    def acquire(self, key: Key, tokens: Sequence[int], *, room: int = ROOM) -> Lease:
        """Hold the page `key`, whose tokens are now `tokens`.

        What the row holds beyond the common prefix is dropped. A page in use with other tokens is left alone until it
        is released: this lease then gets a row of its own, which begins with a copy of the common prefix and becomes
        the page's row. Raises CacheError when the budget has no room, OutOfMemoryError, ContextLengthError; the cache
        is then unchanged.
        """
        wanted = tuple(tokens)
        if len(wanted) >= self._model.max_positions:
            raise ContextLengthError(
                f"a page of {len(wanted)} tokens leaves no room in a context of {self._model.max_positions}"
            )
        entry = self._entries.get(key)
        if entry is None:
            entry = self._create(key, wanted, room)
        elif entry.pins:
            if entry.tokens != wanted:
                entry = self._detach(entry, wanted, room)
        else:
            entry = self._refit(entry, wanted, room)
        self._entries.move_to_end(key)
        entry.pins += 1
        lease = Lease(entry, wanted, self._release)
        lease.fork()
        return lease

    def warm(self, lease: Lease, chunk: int | None = None) -> Iterator[int]:
        """Forward the missing tokens of the page, `chunk` per step (None: by the pace); yields how many each step forwarded.

        Leases on one row may warm in turn; what one has warmed the other skips. The owners of a lease must
        not be fed before its page is warm.
        """
        row, tokens = lease.row, lease.tokens
        while not lease.ready:
            if lease.released:
                raise CacheError("a released page cannot be warmed")
            first = lease.warm
            last = min(first + (chunk or self.pace.tokens(first)), len(tokens))
            self._model.forward([Feed(row, SHARED, tokens[first:last], range(first, last))])
            lease.computed += last - first
            self.computed += last - first
            yield last - first

    def warm_chunk(self, key: Key, tokens: Sequence[int], chunk: int | None = None) -> int:
        """Warm one step of a page before any request for it, holding it only for that time.

        Returns how many tokens were forwarded: 0 when the page is warm, or is left alone because it is in use with
        other tokens. Raises what `acquire` and `Model.forward` raise.
        """
        entry = self._entries.get(key)
        if entry is not None and entry.pins and entry.tokens != tuple(tokens):
            return 0
        with self.acquire(key, tokens) as lease:
            return next(self.warm(lease, chunk), 0)

    # -- dropping --------------------------------------------------------------------------------------------

    def drop_all(self, document: Hashable) -> None:
        """Forget all pages of a document. Rows in use are freed when they are released."""
        for key in [key for key in self._entries if key[0] == document]:
            self.drop(key)

    def drop(self, key: Key) -> None:
        """Forget one page, if it is known. A row in use is freed when it is released."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        if entry.pins:
            self._detached.append(entry)
        else:
            entry.row.store.release()

    def check_integrity(self) -> None:
        """Raises CacheError when rows, pins, keys or bytes disagree."""
        pool = self._model.pool
        if pool.budget is not None and pool.bytes_held > pool.budget:
            raise CacheError(f"{pool.bytes_held} bytes are held under a budget of {pool.budget}")
        held = 0
        for key, entry in self._entries.items():
            if entry.key != key:
                raise CacheError(f"page {key} is filed under another key")
            entry.check_integrity()
            held += entry.row.nbytes
        for entry in self._detached:
            if not entry.pins:
                raise CacheError(f"page {entry.key} was detached and released but is still held")
            entry.check_integrity()
            held += entry.row.nbytes
        if held > pool.bytes_in_use:
            raise CacheError(f"rows hold {held} bytes, but their pool counts {pool.bytes_in_use}")

    # -- inside ----------------------------------------------------------------------------------------------

    def _create(self, key: Key, tokens: tuple[int, ...], room: int) -> Entry:
        entry = Entry(key, self._model.new_row(len(tokens) + room), tokens)
        self._entries[key] = entry
        return entry

    def _refit(self, entry: Entry, tokens: tuple[int, ...], room: int) -> Entry:
        """Fit an unused entry to its page's new tokens: first reserve room, which may fail, then truncate."""
        row = entry.row
        entry.pins += 1
        try:
            if row.capacity < len(tokens) + room:
                row.reserve(len(tokens) + room)
        except CacheError:
            # The old and the new buffer do not fit together. A page that fits its row makes do with less room; one that
            # does not starts cold, if the new buffer fits by itself.
            if row.capacity > len(tokens):
                pass
            elif not self._fits_without(entry, len(tokens) + room):
                raise
            else:
                self.drop(entry.key)
                self._detached.remove(entry)
                row.store.release()
                return self._create(entry.key, tokens, room)
        finally:
            entry.pins -= 1
        row.truncate(entry.common(tokens))
        entry.tokens = tokens
        entry.next_owner = 1
        return entry

    def _detach(self, entry: Entry, tokens: tuple[int, ...], room: int) -> Entry:
        row = self._model.new_row(len(tokens) + room)
        row.adopt(entry.row, entry.common(tokens))
        self._detached.append(entry)
        fresh = Entry(entry.key, row, tokens)
        self._entries[entry.key] = fresh
        return fresh

    def _release(self, lease: Lease) -> None:
        entry = lease.entry
        for owner in lease.owners:
            if owner in entry.row.owners:
                entry.row.release(owner)
        entry.pins -= 1
        if not entry.pins and entry in self._detached:
            self._detached.remove(entry)
            entry.row.store.release()

    def _fits_without(self, entry: Entry, slots: int) -> bool:
        pool = self._model.pool
        if pool.budget is None:
            return True
        free = entry.row.nbytes + sum(e.row.nbytes for e in self._entries.values() if not e.pins)
        return pool.bytes_in_use - free + bucket(slots) * pool.bytes_per_slot <= pool.budget

    def _reclaim(self, missing: int | None) -> None:
        """Evict unused rows of at least `missing` bytes, least recently used first; none where they do not add up to that."""
        candidates = [entry for entry in self._entries.values() if not entry.pins]
        if missing is not None and sum(entry.row.nbytes for entry in candidates) < missing:
            return
        for entry in candidates:
            if missing is not None:
                if missing <= 0:
                    return
                missing -= entry.row.nbytes
            self.drop(entry.key)
            self.evictions += 1
