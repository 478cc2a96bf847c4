"""A shortest program for a small change of a long text: searched round the change alone, in a cut-out of the texts."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.errors import ProgramError
from copydesk.oracle.cost import Cost
from copydesk.oracle.oracle import oracle_program
from copydesk.program import SUB_LINES, Copy, Gen, Op, Program, Sub

MARGIN = 4
"""Lines round a change in which a shorter program is looked for, unless told otherwise."""


def program_near_change(
    before: Sequence[str],
    after: Sequence[str],
    *,
    subs: bool = True,
    cost: Cost | None = None,
    sub_lines: int = SUB_LINES,
    scope: Sequence[tuple[int, int]],
    margin: int = MARGIN,
) -> Program:
    """As `oracle_program`, of texts in lines: the same result in nearly all cases, at a price that the change decides and not the
    text. What lies more than `margin` lines from the change is copied. Raises ProgramError, ScopeError.
    """
    most = min(len(before), len(after))
    head = _common(before, after, range(most))
    if head == most and len(before) == len(after):
        return Program((Copy(1, head),) if head else ())
    tail = _common(before, after, range(-1, head - most - 1, -1))
    first, last = head + 1 - margin, len(before) - tail + margin
    near = [(max(s, first), min(e, last)) for s, e in scope if s <= last and e >= first - 1]
    near = [(s, e) for s, e in near if e >= s - 1]
    # A line outside the search on either side, so that the program begins and ends with copies that can be extended.
    begin, end = max(0, first - 2), min(len(before), last + 1)
    behind = len(before) - end
    try:
        found = oracle_program(
            "".join(before[begin:end]),
            "".join(after[begin : len(after) - behind]),
            subs=subs,
            cost=cost,
            sub_lines=sub_lines,
            scope=[(s - begin, e - begin) for s, e in near],
        )
    except ProgramError:
        return oracle_program(
            "".join(before), "".join(after), subs=subs, cost=cost, sub_lines=sub_lines, scope=scope
        )
    return _extended(found, begin, end, len(before))


def _extended(program: Program, begin: int, end: int, count: int) -> Program:
    """A program over lines begin+1 .. end as one over all `count` lines; at either end that is not the texts' own it copies."""
    ops: list[Op] = []
    for op in program.ops:
        match op:
            case Copy(start, stop):
                top = 1 if start == 1 else start + begin
                bottom = count if stop == end - begin else stop + begin
                ops.append(Copy(top, bottom))
            case Sub(start, stop, old, new):
                ops.append(Sub(start + begin, stop + begin, old, new))
            case Gen():
                ops.append(op)
    return Program(tuple(ops))


def _common(before: Sequence[str], after: Sequence[str], places: range) -> int:
    count = 0
    for k in places:
        if before[k] != after[k]:
            return count
        count += 1
    return count
