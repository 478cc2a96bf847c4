"""Which parts of two texts need a search, and which are simply copied.

Small pairs are one window, which is searched exactly. Larger ones are narrowed:

* Under a scope everything outside must be copied, so what has only one possible place there is cut out. This is exact.
* Common lines at both ends, and between them runs around lines that occur once in both texts (patience anchors), are copied,
  except for a margin next to the change. The margin extends until its lines that occur once in both texts would cost as much to
  write as one op of each kind costs to frame: a path that does not copy such lines in place cannot make up for the cost of
  writing them, unless it copies lines of the region out of order, as in periodic text. There, and where no anchor is found, the
  result can be an op or so longer than the shortest.
* A window without anchors that is still too large is searched in tiles along its diagonal. Such text was rewritten, and most of
  the answer is a gen.

Lines are represented by numbers that are equal for equal lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from copydesk.oracle.path import Window

EXACT_CELLS = 441
"""Up to this many cells (20 lines against 20), a pair is searched as a whole."""
_ANCHOR_CELLS = 10_000
_TILE_CELLS = 20_000
_LONGEST_MARGIN = 64


@dataclass(frozen=True, slots=True)
class Lines:
    """Both texts as numbers, the places where they may differ, and what a before line costs to write."""

    before: Sequence[int]
    after: Sequence[int]
    ranges: Sequence[tuple[int, int]]
    """The scope as places: lines a..b-1 may be deleted, text may be written at places a..b; sorted, disjoint."""
    weight: Callable[[int], int]
    """Tokens of before line i in a gen."""
    margin_weight: int
    """How many tokens of unique lines a margin must hold."""


def search_windows(lines: Lines, *, narrow: bool = True) -> list[Window] | None:
    """The windows to search, in order; the lines before, between and after them are copied one to one.

    None where the texts differ outside the scope. Without `narrow` only the exact
    rule is used.
    """
    windows = _outside_cut(lines)
    if windows is None or not narrow:
        return windows
    return [part for window in windows for part in _narrow(lines, window)]


def _outside_cut(lines: Lines) -> list[Window] | None:
    """Everything except the stretches outside the scope that have only one possible place."""
    n, m = len(lines.before), len(lines.after)
    if not lines.ranges:
        return [] if lines.before == lines.after else None
    head, tail = lines.ranges[0][0], n - lines.ranges[-1][1]
    if head + tail > m or lines.before[:head] != lines.after[:head]:
        return None
    if tail and lines.before[n - tail :] != lines.after[m - tail :]:
        return None
    windows: list[Window] = []
    i, j, joins = head, head, head > 0
    for (_, stop), (start, _) in zip(lines.ranges, lines.ranges[1:], strict=False):
        stretch = lines.before[stop:start]
        found = list(_occurrences(lines.after, stretch, j, m - tail))
        if not found:
            return None
        if len(found) == 1:
            windows.append(Window(i, stop, j, found[0], joins, True))
            i, j, joins = start, found[0] + len(stretch), True
    windows.append(Window(i, n - tail, j, m - tail, joins, tail > 0))
    return windows


def _occurrences(text: Sequence[int], stretch: Sequence[int], start: int, stop: int) -> Iterator[int]:
    count = len(stretch)
    for j in range(start, stop - count + 1):
        if text[j] == stretch[0] and text[j : j + count] == stretch:
            yield j


def _narrow(lines: Lines, window: Window) -> Iterator[Window]:
    if window.cells <= EXACT_CELLS:
        yield window
        return
    window = trimmed(lines, window)
    if window.cells <= _ANCHOR_CELLS:
        yield window
        return
    parts = list(_anchored(lines, window))
    if len(parts) > 1:
        for part in parts:
            yield from _narrow(lines, part)
    elif window.cells > _TILE_CELLS and any(a <= window.i0 and window.i1 <= b for a, b in lines.ranges):
        yield from _tiles(window)
    else:
        yield window


def trimmed(lines: Lines, window: Window) -> Window:
    """`window` without the common lines at its ends, except for a margin."""
    before, after = lines.before, lines.after
    i0, i1, j0, j1 = window.i0, window.i1, window.j0, window.j1
    most = min(i1 - i0, j1 - j0)
    head = 0
    while head < most and before[i0 + head] == after[j0 + head]:
        head += 1
    tail = 0
    while tail < most - head and before[i1 - 1 - tail] == after[j1 - 1 - tail]:
        tail += 1
    unique = _unique(lines, window)
    head -= _margin(lines, unique, range(i0 + head - 1, i0 - 1, -1))
    tail -= _margin(lines, unique, range(i1 - tail, i1))
    return Window(
        i0 + head,
        i1 - tail,
        j0 + head,
        j1 - tail,
        window.joins_before or head > 0,
        window.joins_behind or tail > 0,
    )


def _unique(lines: Lines, window: Window) -> dict[int, int]:
    """The lines that occur once in each text within `window`: number → after index."""
    once_before = _once(lines.before[window.i0 : window.i1])
    once_after = _once(lines.after[window.j0 : window.j1])
    both = once_before & once_after
    return {lines.after[j]: j for j in range(window.j0, window.j1) if lines.after[j] in both}


def _once(numbers: Sequence[int]) -> set[int]:
    return {number for number, count in Counter(numbers).items() if count == 1}


def _margin(lines: Lines, unique: dict[int, int], outward: range) -> int:
    """How many of the before lines `outward`, nearest to the change first, stay in the window."""
    weight = 0
    for count, i in enumerate(outward):
        if weight >= lines.margin_weight or count >= _LONGEST_MARGIN:
            return count
        if lines.before[i] in unique:
            weight += lines.weight(i)
    return len(outward)


def _anchored(lines: Lines, window: Window) -> Iterator[Window]:
    """`window` cut at the inner lines of runs of equal lines around its patience anchors."""
    unique = _unique(lines, window)
    pairs = [(i, unique[lines.before[i]]) for i in range(window.i0, window.i1) if lines.before[i] in unique]
    start_i, start_j, joins = window.i0, window.j0, window.joins_before
    done_i, done_j = window.i0, window.j0
    for i, j in _increasing(pairs):
        if i < done_i or j < done_j:
            continue  # inside the run around the anchor before it
        first, stop = i, i + 1
        while (
            first > done_i
            and first - i + j > done_j
            and lines.before[first - 1] == lines.after[first - 1 - i + j]
        ):
            first -= 1
        while (
            stop < window.i1 and stop - i + j < window.j1 and lines.before[stop] == lines.after[stop - i + j]
        ):
            stop += 1
        done_i, done_j = stop, stop - i + j
        head = _margin(lines, unique, range(first, stop))
        tail = _margin(lines, unique, range(stop - 1, first - 1, -1))
        if head + tail < stop - first:
            cut, resume = first + head, stop - tail
            yield Window(start_i, cut, start_j, cut - i + j, joins, True)
            start_i, start_j, joins = resume, resume - i + j, True
    yield replace(window, i0=start_i, j0=start_j, joins_before=joins)


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest subsequence whose second members increase; the first ones do already. O(n log n)."""
    tops: list[int] = []
    indices: list[int] = []
    back: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(tops, j)
        back.append(indices[at - 1] if at else -1)
        tops[at : at + 1] = [j]
        indices[at : at + 1] = [index]
    chosen: list[tuple[int, int]] = []
    index = indices[-1] if indices else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = back[index]
    chosen.reverse()
    return chosen


def _tiles(window: Window) -> Iterator[Window]:
    height, width = window.j1 - window.j0, window.i1 - window.i0
    count = 1
    while (height // count + 1) * (width // count + 1) > _TILE_CELLS:
        count += 1
    for k in range(count):
        yield Window(
            window.i0 + width * k // count,
            window.i0 + width * (k + 1) // count,
            window.j0 + height * k // count,
            window.j0 + height * (k + 1) // count,
            window.joins_before and k == 0,
            window.joins_behind and k == count - 1,
        )
