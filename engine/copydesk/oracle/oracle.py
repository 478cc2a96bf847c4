"""The oracle: a shortest program for a known change. Training targets and upper bounds come from it."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.errors import ProgramError, ScopeError
from copydesk.oracle.cost import CodeCost, Cost, PricedLines, body_cost
from copydesk.oracle.path import CopyStep, GenStep, Path, Prices, Step, Window, cheapest
from copydesk.oracle.subs import SubEdge, sub_edges
from copydesk.oracle.windows import EXACT_CELLS, Lines, search_windows, trimmed
from copydesk.program import SUB_LINES, Copy, Gen, Op, Program, Sub, sub_span
from copydesk.text.document import split_lines


def oracle_program(
    before: str,
    after: str,
    *,
    subs: bool = True,
    cost: Cost | None = None,
    sub_lines: int = SUB_LINES,
    scope: Sequence[tuple[int, int]] | None = None,
) -> Program:
    """A program in edit mode with `resolve(before) == after`: fewest tokens by `cost`, then fewest ops.

    Texts are exact. With `subs` false it holds copies and gens only; else a sub touches at most `sub_lines`
    lines, and its old text is a run of the lines' own tokens. `scope` (1-based inclusive ranges; `(10, 9)`
    is the place before line 10) limits where the program may delete, substitute or write.

    Shortest exactly up to 20 lines against 20, given that tokens add up over a text; longer texts are
    narrowed to their changes first (see `windows.py` for what that can cost). Of several shortest programs
    always the same one is returned.

    Raises ProgramError where the texts differ outside the scope, ScopeError for a scope that does not fit
    `before`.
    """
    prices: Cost = cost if cost is not None else CodeCost()
    old, new = PricedLines(split_lines(before), prices), PricedLines(split_lines(after), prices)
    numbers: dict[str, int] = {}
    ranges = [(0, len(old))] if scope is None else _places(scope, len(old))
    lines = Lines(
        [numbers.setdefault(line, len(numbers)) for line in old.texts],
        [numbers.setdefault(line, len(numbers)) for line in new.texts],
        ranges,
        lambda i: old[i].written,
        prices.copy_cost + prices.gen_cost + prices.sub_cost,
    )
    max_lines = sub_lines if subs else 0
    found = _search(lines, old, new, prices, max_lines, narrow=True)
    if found is None and scope is not None:
        # An anchor at the wrong one of several places can rule out every path through a scope of several ranges.
        found = _search(lines, old, new, prices, max_lines, narrow=False)
    if found is None:
        raise ProgramError("the texts differ outside the scope")
    return Program(tuple(found))


def program_tokens(program: Program, before: str, cost: Cost | None = None) -> int:
    """What `program`, which is legal for the exact text `before`, costs by `cost`. An old text is counted in its lines'
    own tokens."""
    prices: Cost = cost if cost is not None else CodeCost()
    lines = PricedLines(split_lines(before), prices)
    tokens = 0
    for op in program.ops:
        match op:
            case Copy():
                tokens += prices.copy_cost
            case Gen(text):
                tokens += prices.gen_cost + body_cost(prices, text)
            case Sub():
                tokens += prices.sub_cost + _old_tokens(op, lines, prices) + body_cost(prices, op.new)
    return tokens


def _old_tokens(op: Sub, lines: PricedLines, prices: Cost) -> int:
    span = sub_span(lines.texts, op.start, op.old, op.end - op.start + 1)
    if span is not None:
        first, last = lines[op.start - 1], lines[op.end - 1]
        if span.offset in first.ends and span.end_offset in last.ends:
            between = sum(line.weights[-1] for line in lines.span(op.start - 1, op.end - 1))
            return (
                between
                + last.weights[last.ends.index(span.end_offset)]
                - first.weights[first.ends.index(span.offset)]
            )
    return body_cost(prices, op.old)


def _search(
    lines: Lines, old: PricedLines, new: PricedLines, cost: Cost, sub_lines: int, *, narrow: bool
) -> list[Op] | None:
    """The ops of the whole program, or None where the scope allows none."""
    windows = search_windows(lines, narrow=narrow)
    if windows is None:
        return None
    ops: list[Op] = []
    done = 0
    for window in windows:
        steps = _steps(window, lines, old, new, cost, sub_lines)
        if steps is None:
            return None
        if window.i0 > done:
            _append(ops, Copy(done + 1, window.i0))
        for step in steps:
            _append(ops, _op(step, new))
        done = window.i1
    if done < len(old) and (not windows or windows[-1].joins_behind):
        _append(ops, Copy(done + 1, len(old)))
    return ops


def _steps(
    window: Window, lines: Lines, old: PricedLines, new: PricedLines, cost: Cost, sub_lines: int
) -> list[Step] | None:
    prices = Prices(cost.copy_cost, cost.gen_cost, {j: new[j].written for j in range(window.j0, window.j1)})

    def path(subs: list[SubEdge]) -> Path | None:
        return cheapest(window, lines.before, lines.after, prices, subs, lines.ranges)

    def edges(part: Window, most: int | None = None) -> list[SubEdge]:
        rows, columns = range(part.i0, part.i1), range(part.j0, part.j1)
        return list(sub_edges(old, new, rows, columns, cost, sub_lines, most)) if sub_lines else []

    core = trimmed(lines, window)
    found = path(edges(core))
    if found is not None and sub_lines and window.cells <= EXACT_CELLS and core.cells < window.cells:
        # Also subs elsewhere that could be part of a program no longer than the best one so far.
        found = path(edges(window, found.tokens))
    return None if found is None else found.steps


def _op(step: Step, new: PricedLines) -> Op:
    if isinstance(step, CopyStep):
        return Copy(step.i + 1, step.i + step.count)
    if isinstance(step, GenStep):
        return Gen("".join(new.texts[step.j : step.j + step.count]))
    return step.op


def _append(ops: list[Op], op: Op) -> None:
    """Add `op`, merged with the op before it where it continues that across two windows."""
    last = ops[-1] if ops else None
    if isinstance(op, Copy) and isinstance(last, Copy) and op.start == last.end + 1:
        ops[-1] = Copy(last.start, op.end)
    elif isinstance(op, Gen) and isinstance(last, Gen):
        ops[-1] = Gen(last.text + op.text)
    else:
        ops.append(op)


def _places(scope: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """`scope` as sorted, disjoint ranges of places (0-based, the place before line k+1 is k)."""
    places: list[tuple[int, int]] = []
    for start, end in sorted(scope):
        if not 1 <= start <= end + 1 <= count + 1:
            raise ScopeError(f"the range {start}-{end} does not fit a text of {count} lines")
        if places and start - 1 <= places[-1][1]:
            places[-1] = (places[-1][0], max(places[-1][1], end))
        else:
            places.append((start - 1, end))
    return places
