"""The pages of one document, kept stable while it is edited.

The document's lines are partitioned into blocks; page k is blocks k and k + 1, so neighbouring pages overlap by one block and
any small group of lines has context on both sides in one of them. A short document is one page. An edit grows or shrinks the
blocks it touches; only a block that becomes too long or too short is split or merged, and every other page stays the same, with
its cache. This module works on lines, not tokens; which pages are warm is up to the cache.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

from copydesk.errors import ScopeError
from copydesk.paging.page import Page
from copydesk.request import Range, normalise_scope, show_range
from copydesk.syntax.import_block import import_block
from copydesk.text.document import Change, view_line


@dataclass(frozen=True, slots=True)
class LayoutChange:
    """What a splice did to the pages, by key. `changed`: pages whose key stayed and whose text did not. The three are
    disjoint and in document order.
    """

    changed: tuple[int, ...]
    died: tuple[int, ...]
    appeared: tuple[int, ...]


class _Places(NamedTuple):
    """Where the blocks of one version begin."""

    ids: list[int]
    starts: list[int]
    header: Range | None

    @property
    def keys(self) -> list[int]:
        return self.ids[: max(1, len(self.ids) - 1)]

    def near_header(self) -> set[int]:
        """The pages that begin near the header: how much of it they show depends on where they begin."""
        if self.header is None:
            return set()
        low, high = bisect_right(self.starts, self.header[0] - 1), bisect_right(self.starts, self.header[1])
        return set(self.keys[max(0, low - 1) : high + 1])

    def shape(self, key: int) -> tuple[int, bool]:
        """How many header lines the page shows, and whether lines between them and the window are hidden."""
        start = self.starts[self.ids.index(key)]
        shown = max(0, min(self.header[1], start) - self.header[0] + 1) if self.header is not None else 0
        return shown, start > (self.header[0] + shown - 1 if self.header is not None and shown else 0)


class PageSizes(Protocol):
    """Lengths in lines, as `EditFormat` declares them."""

    @property
    def page_lines(self) -> int: ...
    @property
    def page_overlap(self) -> int: ...
    @property
    def warm_lines(self) -> int: ...
    @property
    def header_lines(self) -> int: ...


class PageLayout:
    """The pages of one document.

    Keys are integers that are never reused. `lines` are the document's exact lines; the layout keeps a reference and
    reads them when a page is requested, so a caller that replaces or edits them must call `splice`.
    """

    def __init__(self, lines: Sequence[str], sizes: PageSizes, language: str) -> None:
        self._most_lines = sizes.page_lines
        self._page_lines = sizes.warm_lines or sizes.page_lines
        self._header_lines = sizes.header_lines
        self._language = language
        # Block lengths: two of the longest fill a page; a new block leaves room for typing.
        overlap = sizes.page_overlap * self._page_lines // sizes.page_lines
        self._longest = min(overlap or self._page_lines, self._page_lines // 2)
        self._nominal = max(1, self._longest * 7 // 8)
        self._shortest = max(1, self._longest // 4)
        self._lines = lines
        self._sizes = [len(lines)]
        self._ids = [0]
        self._next_id = 1
        self._split(0, set())
        self._starts = list(
            accumulate(self._sizes, initial=0)
        )  # 0-based first lines of the blocks, then the count
        self._header, self._header_text = self._find_header()

    # -- reading -------------------------------------------------------------------------------------------

    @property
    def keys(self) -> list[int]:
        """The pages in document order."""
        return _Places(self._ids, self._starts, None).keys

    @property
    def header(self) -> Range | None:
        """The part of the import block that pages show."""
        return self._header

    def window(self, key: int) -> Range:
        """The document lines in the page's window; (1, 0) for an empty document. Raises KeyError for a page
        that no longer exists.
        """
        return self._window(self._index(key))

    def page(self, key: int) -> Page:
        """The page in its present state. Raises KeyError for a page that no longer exists."""
        return Page.of(self._lines, self.window(key), self._header, key)

    def keys_near(self, first: int, last: int) -> list[int]:
        """The pages whose windows touch the document lines `first..last`, in document order."""
        low, high = self._block_of(first - 1) - 1, self._block_of(last - 1)
        return self.keys[max(0, low) : high + 1]

    def page_for(self, scope: Sequence[Range]) -> Page:
        """The page that shows every range of `scope` with the most context on both sides.

        Where no page of the layout shows them all, a cold page (key None) is made for the scope. Raises ScopeError for a
        scope outside the document, or spread over more lines than a page has.
        """
        ranges = normalise_scope(scope, len(self._lines))
        if not ranges:
            return self.page(self._ids[0])
        best: tuple[int, Page] | None = None
        for k in self._candidates(ranges):
            page = self.page(self._ids[k])
            if page.shows(ranges):
                context = self._context(self._window(k), ranges)
                if best is None or context > best[0]:
                    best = (context, page)
        return best[1] if best is not None else self._cold_page(ranges)

    def divide(self, scope: Sequence[Range]) -> list[list[Range]]:
        """`scope` cut into scopes that each fit a page, one per block it touches: for an edit that is larger than a page."""
        parts: list[list[Range]] = []
        block = -1
        for start, end in normalise_scope(scope, len(self._lines)):
            at = start
            while True:
                k = self._block_of(at - 1)
                stop = min(end, self._starts[k + 1])
                if k != block:
                    parts.append([])
                    block = k
                parts[-1].append((at, stop))
                at = stop + 1
                if at > end:
                    break
        return parts

    # -- editing -------------------------------------------------------------------------------------------

    def splice(self, change: Change, lines: Sequence[str]) -> LayoutChange:
        """Follow an edit: `lines` are the document's lines after `change`. Takes time in proportion to the blocks
        touched, and one pass in C over the list of block lengths.
        """
        before = _Places(list(self._ids), self._starts, self._header)
        touched = set[int]()
        self._lines = lines
        self._resize(change, touched)
        self._rebalance(touched)
        self._retire(set(before.keys), touched)
        self._starts = list(accumulate(self._sizes, initial=0))
        header, text = self._header, self._header_text
        if header is not None and change.old_end < header[0]:
            delta = change.new_count - (change.old_end - change.first)
            header = header[0] + delta, header[1] + delta
        self._header, self._header_text = self._find_header()
        # Imports that only moved look the same on every page.
        restart = (header, text) != (self._header, self._header_text)
        return self._difference(before, touched, restart=restart)

    def _resize(self, change: Change, touched: set[int]) -> None:
        """Lines replaced one for one stay in their blocks; only the surplus moves a boundary."""
        first, removed, added = change.first, change.old_end - change.first, change.new_count
        common = min(removed, added)
        if common:
            for k in range(self._block_of(first), self._block_of(first + common - 1) + 1):
                touched.add(self._ids[k])
        at = first + common
        if added > common:
            # At a boundary the block before it grows: appending keeps more of a page warm than a new first line.
            k = self._block_of(max(0, at - 1))
            self._sizes[k] += added - common
            touched.add(self._ids[k])
        elif removed > common:
            left, k = removed - common, self._block_of(at)
            inside = at - self._starts[k]
            while left:
                cut = min(left, self._sizes[k] - inside)
                self._sizes[k] -= cut
                touched.add(self._ids[k])
                left, k, inside = left - cut, k + 1, 0

    def _rebalance(self, touched: set[int]) -> None:
        """Merge blocks that became too short and split those that became too long; the left part keeps the name."""
        total = len(self._lines)
        if total <= self._page_lines:
            if len(self._ids) > 1:
                touched.update(self._ids)
            self._ids, self._sizes = self._ids[:1], [total]
            return
        for name in [name for name in self._ids if name in touched]:
            if name not in self._ids:
                continue  # merged away meanwhile
            k = self._ids.index(name)
            while self._sizes[k] < self._shortest and len(self._ids) > 1:
                k = self._merge(k, touched)
            self._split(k, touched)

    def _retire(self, pages: set[int], touched: set[int]) -> None:
        """The last block begins no page. If it used to, it gets a new name, so that a dead key is never reused."""
        if len(self._ids) > 1 and self._ids[-1] in pages:
            if self._ids[-1] in touched:
                touched.add(self._next_id)
            self._ids[-1] = self._next_id
            self._next_id += 1

    def _merge(self, k: int, touched: set[int]) -> int:
        """Join block k to a neighbour, the left one if the pair stays short enough; returns the new index."""
        left = k - 1 if k > 0 else k
        fits_right = 0 < k < len(self._ids) - 1 and self._sizes[k] + self._sizes[k + 1] <= self._longest
        if fits_right and self._sizes[k - 1] + self._sizes[k] > self._longest:
            left = k
        touched.update(self._ids[left : left + 2])
        self._sizes[left] += self._sizes.pop(left + 1)
        self._ids.pop(left + 1)
        return left

    def _split(self, k: int, touched: set[int]) -> None:
        """Cut block k into parts of about the nominal length if it is too long."""
        size = self._sizes[k]
        if size <= self._longest or len(self._lines) <= self._page_lines:
            return
        parts = max(2, -(-size // self._nominal))
        sizes = [size * (n + 1) // parts - size * n // parts for n in range(parts)]
        names = [self._ids[k], *range(self._next_id, self._next_id + parts - 1)]
        self._next_id += parts - 1
        self._sizes[k : k + 1] = sizes
        self._ids[k : k + 1] = names
        touched.update(names)

    def _difference(self, before: _Places, touched: set[int], *, restart: bool) -> LayoutChange:
        places = _Places(self._ids, self._starts, self._header)
        old, new = before.keys, places.keys
        was, now = set(old), set(new)
        stale = set(new) if restart else set[int]()
        # Lines above a page may appear or disappear without touching it: the first page, and pages near the header.
        for key in (before.near_header() | places.near_header() | {new[0]}) & was & now:
            if before.shape(key) != places.shape(key):
                stale.add(key)
        for k, name in enumerate(self._ids):
            if name in touched:
                stale.update(new[max(0, k - 1) : k + 1])
        return LayoutChange(
            changed=tuple(key for key in new if key in stale and key in was) if stale else (),
            died=tuple(key for key in old if key not in now),
            appeared=tuple(key for key in new if key not in was),
        )

    # -- places --------------------------------------------------------------------------------------------

    def _index(self, key: int) -> int:
        try:
            return self.keys.index(key)
        except ValueError:
            raise KeyError(key) from None

    def _window(self, k: int) -> Range:
        return self._starts[k] + 1, self._starts[min(k + 2, len(self._starts) - 1)]

    def _block_of(self, line: int) -> int:
        """The block that holds the 0-based line."""
        return min(max(0, bisect_right(self._starts, line) - 1), len(self._sizes) - 1)

    def _find_header(self) -> tuple[Range | None, tuple[str, ...]]:
        found = import_block(self._lines, self._language, self._header_lines) if self._header_lines else None
        if found is None:
            return None, ()
        return found, tuple(map(view_line, self._lines[found[0] - 1 : found[1]]))

    def _candidates(self, ranges: Sequence[Range]) -> list[int]:
        """The pages that may show the first or the last range in their window, by index."""
        blocks = {self._block_of(ranges[0][0] - 1), self._block_of(ranges[-1][0] - 1)}
        return sorted({k for b in blocks for k in (b - 2, b - 1, b) if 0 <= k < len(self.keys)})

    def _context(self, window: Range, ranges: Sequence[Range]) -> int:
        """Lines of context on the side that has fewer, for the ranges in the window; the document's ends count as full
        context.
        """
        first, last = window
        inside = [r for r in ranges if r[0] >= first]
        if not inside:
            return -1
        above = inside[0][0] - first if first > 1 else self._page_lines
        below = last - inside[-1][1] if last < len(self._lines) else self._page_lines
        return min(above, below)

    def _cold_page(self, ranges: Sequence[Range]) -> Page:
        count, head = len(self._lines), self._header
        outside = [r for r in ranges if head is None or r[0] < head[0] or r[1] > head[1]]
        for group in (outside, ranges):
            low, high = (group[0][0], group[-1][1]) if group else (1, 0)
            # At least as much context as a warm page would give it.
            size = min(self._most_lines, max(self._page_lines, high - low + 1 + self._page_lines // 2))
            if high - low + 1 > size:
                continue
            first = max(1, min(low - (size - (high - low + 1)) // 2, count - size + 1))
            page = Page.of(self._lines, (first, min(count, first + size - 1)), head)
            if page.shows(ranges):
                return page
        if len(ranges) > 1 and (apart := self._two_places(ranges)) is not None:
            return apart
        asked = " and ".join(map(show_range, ranges))
        raise ScopeError(
            f"the model sees at most {self._most_lines} lines at once, and {asked} do not fit: select fewer lines"
        )

    def _two_places(self, ranges: Sequence[Range]) -> Page | None:
        """A page whose header is not the imports but the ranges before the widest gap."""
        gaps = [after[0] - before[1] for before, after in pairwise(ranges)]
        cut = gaps.index(max(gaps)) + 1
        low, high = ranges[0][0], ranges[cut - 1][1]
        header = max(1, min(low, high)), max(low, high)  # for an insertion point, the lines around it
        first, last = ranges[cut][0], max(ranges[-1])
        most = self._most_lines - (header[1] - header[0] + 2)
        if last - first + 1 > most:
            return None
        context = (min(most, self._page_lines) - (last - first + 1)) // 2
        first = max(header[1] + 1, first - max(0, context))
        last = min(len(self._lines), last + max(0, context))
        page = Page.of(self._lines, (first, last), header)
        return page if page.shows(ranges) else None
