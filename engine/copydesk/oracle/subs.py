r"""Substitutions worth considering: replacing `old` by `new` in before lines i..i+s-1 gives after lines j..j+k-1.

`old` is a run of the lines' own tokens that `sub_span` accepts; of all such runs the shortest that covers the difference is taken
(a run one token longer costs one token more in `old` and about one in `new`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from copydesk.oracle.cost import Cost, PricedLine, PricedLines, body_cost
from copydesk.program import Sub, sub_span
from copydesk.text.document import terminator

_EXACT_CELLS = 1024
"""Up to this many pairs of lines, every substitution is considered."""
_FULL_CELLS = 5_000
"""Up to this many, every pair of lines is compared; beyond, only those near the diagonal."""
_BAND = 16
_MOST_ANCHORS = 64
"""How many tokens beyond the difference an old text may include to become unique, and over how many places it may shift where
the difference has several: a periodic line of megabytes must not take hours."""
_MOST_NEW_LINES = 8
"""Above `_EXACT_CELLS`: how many after lines one substitution may make."""


class SubEdge(NamedTuple):
    """A substitution as a step from (before lines, after lines) `(i, j)` to `(i + lines, j + made)`;
    0-based."""

    i: int
    j: int
    lines: int
    made: int
    tokens: int
    op: Sub


class _Shared(NamedTuple):
    """What a before line and an after line have in common at one end."""

    j: int
    pieces: int
    tokens: int


def sub_edges(
    before: PricedLines,
    after: PricedLines,
    rows: range,
    columns: range,
    cost: Cost,
    max_lines: int,
    most: int | None = None,
) -> Iterator[SubEdge]:
    """Every substitution of lines `rows` of `before` into lines `columns` of `after` that may beat a gen.

    A sub is dropped when a gen of the same lines is at least as cheap, or when it costs more than `most`
    tokens; where the tokens of a text add up over its pieces nothing else is lost, up to `_EXACT_CELLS`
    pairs of lines.
    """
    if not rows or not columns:
        return
    cells = len(rows) * len(columns)
    most_made = len(columns) if cells <= _EXACT_CELLS else _MOST_NEW_LINES
    texts = before.texts
    heads: dict[int, list[_Shared]] = {}
    tails: dict[int, list[_Shared]] = {}
    for i in rows:
        line = before[i]
        near = _near(i, rows, columns) if cells > _FULL_CELLS else columns
        others = list(zip(near, after.span(near.start, near.stop), strict=True))
        heads[i] = [_shared_head(line, other, j) for j, other in others]
        tails[i] = [_shared_tail(line, other, j) for j, other in others]
    best_head = {i: max((s.tokens for s in shared), default=0) for i, shared in heads.items()}
    best_tail = {i: max((s.tokens for s in shared), default=0) for i, shared in tails.items()}
    overhead = cost.sub_cost - cost.gen_cost
    # A line kept whole at one end of the sub is better copied, if so a copy and a gen never cost more than
    # the sub.
    copied_is_better = cost.sub_cost + 2 > cost.copy_cost + cost.gen_cost
    # written[j] - written[columns.start]: tokens of the after lines before j
    written = dict(
        zip(
            range(columns.start, columns.stop + 1),
            accumulate(_written(after, columns), initial=0),
            strict=True,
        )
    )
    spare = (
        written[columns.stop] + sum(before[i].weights[-1] for i in rows)
        if most is None
        else most - cost.sub_cost
    )
    for i in rows:
        total = 0
        for s in range(1, max_lines + 1):
            last = i + s - 1
            if last >= rows.stop:
                break
            total += before[last].weights[-1]
            # What the new text need not spell must pay for the overhead and the old text, which is what is
            # not shared and at least one token; and what is not shared must fit in what may be spent.
            need = max(overhead + 2, (overhead + total) // 2 + 1, total - spare)
            usable = [tail for tail in tails[last] if tail.tokens + best_head[i] >= need]
            if not usable:
                continue
            for head in heads[i]:
                if head.tokens + best_tail[last] < need:
                    continue
                start, stop = head.j, head.j + most_made
                for tail in usable:
                    shared = head.tokens + tail.tokens
                    if not start <= tail.j < stop or shared < need:
                        continue
                    if max(1, total - shared) + max(0, written[tail.j + 1] - written[start] - shared) > spare:
                        continue
                    if s == 1 and copied_is_better and texts[i] in (after.texts[start], after.texts[tail.j]):
                        continue
                    if edge := _best_sub(before, after, i, s, head, tail, cost):
                        yield edge


def _written(lines: PricedLines, columns: range) -> list[int]:
    return [line.written for line in lines.span(columns.start, columns.stop)]


def _near(i: int, rows: range, columns: range) -> range:
    centre = columns.start + (i - rows.start) * len(columns) // max(1, len(rows))
    return range(max(columns.start, centre - _BAND), min(columns.stop, centre + _BAND + 1))


def _shared_head(line: PricedLine, other: PricedLine, j: int) -> _Shared:
    """How many of `line`'s pieces, all within its content, `other` begins with."""
    mine, theirs, ends = line.content, other.content, line.ends
    pieces = 0
    while pieces + 1 < len(ends) and ends[pieces + 1] <= len(mine):
        begin, end = ends[pieces], ends[pieces + 1]
        if theirs[begin:end] != mine[begin:end]:
            break
        pieces += 1
    return _Shared(j, pieces, line.weights[pieces])


def _shared_tail(line: PricedLine, other: PricedLine, j: int) -> _Shared:
    r"""How many of `line`'s pieces `other` ends with; terminators count as equal only when they are the
    same one."""
    if line.terminator != other.terminator or not line.text:
        return _Shared(j, 0, 0)
    mine, theirs, ends = line.text, other.text, line.ends
    shift = len(theirs) - len(mine)
    pieces = 0
    while pieces < len(ends) - 1:
        begin, end = ends[-2 - pieces], ends[-1 - pieces]
        if begin + shift < 0 or theirs[begin + shift : end + shift] != mine[begin:end]:
            break
        pieces += 1
    return _Shared(j, pieces, line.weights[-1] - line.weights[len(ends) - 1 - pieces])


def _best_sub(
    before: PricedLines,
    after: PricedLines,
    i: int,
    s: int,
    head: _Shared,
    tail: _Shared,
    cost: Cost,
) -> SubEdge | None:
    """The substitution with the shortest legal old text; among equals the cheapest, then left anchor before
    right anchor."""
    last = i + s - 1
    j, k = head.j, tail.j - head.j + 1
    if last == len(before) - 1 and not before[last].terminator and j + k != len(after):
        return None  # nothing may follow the document's unterminated last line
    block = "".join(before.texts[i : last + 1])
    result = "".join(after.texts[j : j + k])
    ends: list[int] = []
    weights: list[int] = []
    base = weight = 0
    for line in before.span(i, last + 1):
        ends += [base + end for end in line.ends[:-1]]
        weights += [weight + w for w in line.weights[:-1]]
        base += line.ends[-1]
        weight += line.weights[-1]
    ends.append(base)
    weights.append(weight)
    # old = block[ends[b] : ends[e]]; b lies in the first line and at most head.pieces in, e in the last, at
    # most tail.pieces from its end.
    pieces = len(ends) - 1
    last_start = pieces - (len(before[last].ends) - 1)
    least_end = max(pieces - tail.pieces, last_start + 1)
    most_begin = min(head.pieces, len(before[i].ends) - 2)
    limit = cost.gen_cost + sum(line.written for line in after.span(j, j + k))
    covering = max(0, least_end - most_begin)
    for run in range(max(1, covering), min(pieces, covering + _MOST_ANCHORS) + 1):
        if cost.sub_cost + run >= limit:
            return None
        found: tuple[int, int, Sub] | None = None
        first = max(0, least_end - run)
        for b in range(first, min(most_begin, pieces - run, first + 2 * _MOST_ANCHORS) + 1):
            e = b + run
            rest = base - ends[e]
            if ends[b] + rest > len(result):
                continue
            old, new = block[ends[b] : ends[e]], result[ends[b] : len(result) - rest]
            if new.endswith("\r") and block.startswith("\n", ends[e]):
                continue
            span = sub_span(before.texts, i + 1, old, s)
            if span is None or span.end_line != last + 1 or (span.ends_line and not terminator(new)):
                continue
            tokens = cost.sub_cost + weights[e] - weights[b] + body_cost(cost, new)
            # Anchors are added left, right, left, …
            lopsided = abs(most_begin - b - (run - covering + 1) // 2)
            if found is None or (tokens, lopsided) < found[:2]:
                found = (tokens, lopsided, Sub(i + 1, last + 1, old, new))
        if found is not None:
            return SubEdge(i, j, s, k, found[0], found[2]) if found[0] < limit else None
    return None
