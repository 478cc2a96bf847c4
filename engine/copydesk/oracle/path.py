"""A cheapest path over pairs (before lines used, after lines written) inside one window.

Dynamic programming over rows j (after lines written) and places i (before lines used), with three states: inside a copy that
ended exactly at i; after a gen; after anything else. Deleting a line (i → i+1) is free where the scope allows it. Costs are
compared by tokens, then by number of ops. Texts are represented by prices and by numbers that are equal for equal lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from copydesk.oracle.subs import SubEdge

INFINITE = 1 << 62


@dataclass(frozen=True, slots=True)
class Window:
    """Before lines [i0, i1) against after lines [j0, j1), 0-based.

    `joins_before`: a copy that ends at i0 precedes it, so that continuing it costs nothing. `joins_behind`: a
    copy that starts at i1 follows.
    """

    i0: int
    i1: int
    j0: int
    j1: int
    joins_before: bool
    joins_behind: bool

    @property
    def cells(self) -> int:
        """The size of the search."""
        return (self.i1 - self.i0 + 1) * (self.j1 - self.j0 + 1)


@dataclass(frozen=True, slots=True)
class CopyStep:
    """Before lines [i, i + count) are copied; 0-based."""

    i: int
    count: int


@dataclass(frozen=True, slots=True)
class GenStep:
    """After lines [j, j + count) are written out; 0-based."""

    j: int
    count: int


Step = CopyStep | GenStep | SubEdge


@dataclass(frozen=True, slots=True)
class Path:
    """The steps through a window, in order, and their cost. Copies that continue one outside the window cost nothing
    here."""

    steps: list[Step]
    tokens: int


@dataclass(frozen=True, slots=True)
class Prices:
    """Tokens of an op's frame, and of the text of each after line of the window."""

    copy: int
    gen: int
    written: Mapping[int, int]


def cheapest(
    window: Window,
    before: Sequence[int],
    after: Sequence[int],
    prices: Prices,
    subs: Sequence[SubEdge],
    ranges: Sequence[tuple[int, int]],
) -> Path | None:
    """A cheapest path through `window`, or None where the scope allows none.

    `before` and `after` hold a number per line, equal for equal lines; all indices are those of the whole
    texts. `ranges` are the scope as places: (a, b) lets lines a..b-1 (0-based) be deleted or substituted
    and text be written at places a..b.
    """
    return _Search(window, before, after, prices, subs, ranges).path()


class _Search:
    def __init__(
        self,
        window: Window,
        before: Sequence[int],
        after: Sequence[int],
        prices: Prices,
        subs: Sequence[SubEdge],
        ranges: Sequence[tuple[int, int]],
    ) -> None:
        self.window = window
        self.after = after
        self.width = window.i1 - window.i0
        self.height = window.j1 - window.j0
        # One number per cost: tokens * unit + ops. A window never needs more ops than lines.
        self.unit = unit = self.width + self.height + 2
        self.copy = prices.copy * unit + 1
        self.gen = prices.gen * unit + 1
        self.written = [prices.written[j] * unit for j in range(window.j0, window.j1)]
        self.ranges = [
            (max(a, window.i0) - window.i0, min(b, window.i1) - window.i0)
            for a, b in ranges
            if a <= window.i1 and b >= window.i0
        ]
        self.places: dict[int, list[int]] = {}
        for i in range(self.width):
            self.places.setdefault(before[window.i0 + i], []).append(i)
        self.subs: dict[int, list[SubEdge]] = {}
        for edge in subs:
            inside = window.i0 <= edge.i and edge.i + edge.lines <= window.i1 and window.j0 <= edge.j
            i = edge.i - window.i0
            if (
                inside
                and edge.j + edge.made <= window.j1
                and any(a <= i and i + edge.lines <= b for a, b in self.ranges)
            ):
                self.subs.setdefault(edge.j + edge.made - window.j0, []).append(edge)
        # Row by row: copies only at places where lines agree; `other` and `gens` at every place; None where
        # nothing is.
        self.copies: list[Mapping[int, int]] = []
        self.other: list[list[int] | None] = []
        self.gens: list[list[int] | None] = []
        self._fill()

    def _fill(self) -> None:
        first = [INFINITE] * (self.width + 1)
        first[0] = 0
        self.copies.append({0: 0} if self.window.joins_before else {})
        self.other.append(self._deleting(first))
        self.gens.append(None)
        # ready[j][i]: the best of `other` and `gens`, from which a copy or sub may start
        ready: list[list[int] | None] = [self.other[0]]
        for j in range(1, self.height + 1):
            above, copied = ready[-1], self.copies[-1]
            copies: dict[int, int] = {}
            if above is not None or copied:
                for i in self.places.get(self.after[self.window.j0 + j - 1], ()):
                    cost = copied.get(i, INFINITE)
                    if above is not None and above[i] + self.copy < cost:
                        cost = above[i] + self.copy
                    if cost < INFINITE:
                        copies[i + 1] = cost
            ends = dict(copies)
            for edge in self.subs.get(j, ()):
                start = ready[j - edge.made]
                if start is None:
                    continue
                i = edge.i - self.window.i0
                cost = start[i] + edge.tokens * self.unit + 1
                if cost < ends.get(i + edge.lines, INFINITE):
                    ends[i + edge.lines] = cost
            other: list[int] | None = None
            if ends:
                row = [INFINITE] * (self.width + 1)
                for i, cost in ends.items():
                    row[i] = cost
                other = self._deleting(row)
            gens = self._writing(self.gens[-1], self.other[-1], self.written[j - 1])
            self.copies.append(copies)
            self.other.append(other)
            self.gens.append(gens)
            ready.append(other if gens is None else gens if other is None else list(map(min, other, gens)))

    def _deleting(self, row: list[int]) -> list[int]:
        """`row` with every place reachable from a cheaper one before it by deletions."""
        for a, b in self.ranges:
            if b > a:
                row[a : b + 1] = accumulate(row[a : b + 1], min)
        return row

    def _writing(self, gens: list[int] | None, other: list[int] | None, text: int) -> list[int] | None:
        """One more after line in a gen, which continues or begins. Deletions are already part of both rows."""
        if gens is None and other is None:
            return None
        row = [INFINITE] * (self.width + 1)
        start = text + self.gen
        for a, b in self.ranges:
            if gens is None and other is not None:
                row[a : b + 1] = [cost + start for cost in other[a : b + 1]]
            elif other is None and gens is not None:
                row[a : b + 1] = [cost + text for cost in gens[a : b + 1]]
            elif gens is not None and other is not None:
                go_on, begin = gens[a : b + 1], [cost + self.gen for cost in other[a : b + 1]]
                row[a : b + 1] = [cost + text for cost in map(min, go_on, begin)]
        return row

    def path(self) -> Path | None:
        i, j = self.width, self.height
        copied = self.copies[j].get(i, INFINITE)
        other, gens = self.other[j], self.gens[j]
        closed = INFINITE if other is None else other[i]
        written = INFINITE if gens is None else gens[i]
        following = self.copy if self.window.joins_behind else 0
        best = min(copied, closed + following, written + following)
        if best >= INFINITE:
            return None
        found: list[Step] = []
        state = "copy" if best == copied else "other" if best == closed + following else "gen"
        while j or i:
            if state == "copy":
                i, j, state = self._back_copy(i, j, found)
            elif state == "gen":
                i, j, state = self._back_gen(i, j, found)
            else:
                i, j, state = self._back_other(i, j, found)
        found.reverse()
        return Path(found, best // self.unit)

    def _back_copy(self, i: int, j: int, found: list[Step]) -> tuple[int, int, str]:
        count = 0
        while j and self.copies[j][i] == self.copies[j - 1].get(i - 1, INFINITE):
            i, j, count = i - 1, j - 1, count + 1
        if j == 0:  # the copy before the window goes on
            if count:
                found.append(CopyStep(self.window.i0 + i, count))
            return i, j, "other"
        cost = self.copies[j][i] - self.copy
        found.append(CopyStep(self.window.i0 + i - 1, count + 1))
        return i - 1, j - 1, self._state_at(i - 1, j - 1, cost)

    def _state_at(self, i: int, j: int, cost: int) -> str:
        other = self.other[j]
        return "other" if other is not None and other[i] == cost else "gen"

    def _back_gen(self, i: int, j: int, found: list[Step]) -> tuple[int, int, str]:
        """All of one gen; the deletions around it belong to the state in which it began."""
        end = j
        while True:
            gens, above = self.gens[j], self.gens[j - 1]
            assert gens is not None  # the state was reached
            if above is None or above[i] + self.written[j - 1] != gens[i]:
                found.append(GenStep(self.window.j0 + j - 1, end - j + 1))
                return i, j - 1, "other"
            j -= 1

    def _back_other(self, i: int, j: int, found: list[Step]) -> tuple[int, int, str]:
        other = self.other[j]
        assert other is not None  # the state was reached
        cost = other[i]
        # Deletions last: of two equal lines the first is kept.
        while i and other[i - 1] == cost and any(a < i <= b for a, b in self.ranges):
            i -= 1
        if self.copies[j].get(i, INFINITE) == cost and j:
            return i, j, "copy"
        for edge in self.subs.get(j, ()):
            start = edge.i - self.window.i0
            above = j - edge.made
            if start + edge.lines != i:
                continue
            before_it = cost - edge.tokens * self.unit - 1
            ready = [row[start] for row in (self.other[above], self.gens[above]) if row is not None]
            if min(ready, default=INFINITE) == before_it:
                found.append(edge)
                return start, above, self._state_at(start, above, before_it)
        return 0, 0, "other"  # only row 0, before any op, comes from nothing
