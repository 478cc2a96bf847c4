"""The stack of Python's layer: levels of indentation, the kind of the line that is being read, and brackets, the bottom first."""

from __future__ import annotations

from copydesk.pushdown.automaton import Stack
from copydesk.pushdown.python.modes import (
    BEGIN,
    BEHIND_COLON,
    CLOSE,
    COLON,
    COMMENT,
    HARD,
    LAMBDA,
    MOST_SPACES,
    MOST_TABS,
    NEWLINE,
    PLAIN,
    SOFT,
    TABS,
    UNCERTAIN,
    Terminals,
)

BEGUN, STATEMENT, OPENER, OPENED, INLINE, MAYBE_OPENER, PARAMETERS, BODY = range(300, 308)
"""A line whose first word is being read; one that opens no block; one that opens a block, before its colon, just behind it, and
with its body in the same line; one that opens a block if it ends with a colon; a lambda's parameters in the first of these; and
what stands for the indented body that must come next."""
BRACKET = 400
"""`BRACKET + k` is an open `BRACKETS[k]`."""
MOST_BRACKETS, MOST_LEVELS = 90, 90
"""CPython reads some more."""

_KINDS = {HARD: OPENER, SOFT: MAYBE_OPENER, PLAIN: STATEMENT}


def shift(stack: Stack, terminal: int) -> Stack | None:
    """The stack behind a terminal; None where it cannot stand there."""
    top = stack[-1]
    if terminal < CLOSE:
        open_brackets = len(stack) - line_place(stack)
        return (*stack, BRACKET + terminal) if open_brackets <= MOST_BRACKETS else None
    if terminal < NEWLINE:
        return stack[:-1] if top == BRACKET + terminal - CLOSE else None
    if top >= BRACKET:
        return stack
    if terminal == NEWLINE:
        if top in (STATEMENT, INLINE, MAYBE_OPENER):
            return stack[:-1]
        return (*stack[:-1], BODY) if top == OPENED and _has_room(stack) else None
    if terminal == COLON:
        if top in (OPENER, MAYBE_OPENER):
            return (*stack[:-1], OPENED)
        return stack[:-1] if top == PARAMETERS else stack
    if terminal == BEHIND_COLON:
        return (*stack[:-1], INLINE) if top == OPENED else stack
    if terminal == LAMBDA:
        return (*stack, PARAMETERS) if top in (OPENER, MAYBE_OPENER, PARAMETERS) else stack
    if terminal == COMMENT:
        return None if top in (OPENER, PARAMETERS) else stack
    if terminal < BEGIN:
        return (*stack[:-1], _KINDS[terminal]) if top == BEGUN else None
    return _begun(stack, terminal - BEGIN)


def _begun(stack: Stack, level: int) -> Stack | None:
    """The stack where a line begins at a level, outside brackets."""
    if level == UNCERTAIN:
        return None
    if stack[-1] == BODY:
        return (*stack[:-1], level, BEGUN) if is_deeper(level, stack[-2]) else None
    size = len(stack)
    while stack[size - 1] != level:
        size -= 1
        if not size:
            return None
    return (*stack[:size], BEGUN)


def _has_room(stack: Stack) -> bool:
    """Whether a body may be indented further than the line at the top of the stack."""
    return len(stack) <= MOST_LEVELS and stack[-2] not in (MOST_SPACES, TABS + MOST_TABS)


def is_deeper(level: int, than: int) -> bool:
    """Whether CPython takes a level for deeper than another, whatever the width of a tab."""
    return level > than and (than == 0 or (level >= TABS) == (than >= TABS))


def shift_all(stack: Stack, terminals: Terminals) -> Stack | None:
    """The stack behind some terminals; None where they cannot stand there."""
    now: Stack | None = stack
    for terminal in terminals:
        if now is None:
            break
        now = shift(now, terminal)
    return now


def line_place(stack: Stack) -> int:
    """Where the brackets of a stack begin."""
    place = len(stack)
    while place and stack[place - 1] >= BRACKET:
        place -= 1
    return place
