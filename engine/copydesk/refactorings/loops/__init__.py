"""Loops and comprehensions."""

from __future__ import annotations

from copydesk.refactorings.loops.comprehension import COMPREHENSION_TO_LOOP, LOOP_TO_COMPREHENSION
from copydesk.refactorings.loops.filter_comprehension import FILTER_COMPREHENSION
from copydesk.refactorings.loops.loop_forms import (
    COMPREHENSION_KIND,
    LOOP_HEADS,
    LOOP_TO_EXPRESSION,
    SETDEFAULT,
    WRITE_LOOP_OUT,
)
from copydesk.refactorings.loops.loops import ANY_ALL, ENUMERATE, YIELD_FROM

REFACTORINGS = (
    COMPREHENSION_TO_LOOP,
    LOOP_TO_COMPREHENSION,
    FILTER_COMPREHENSION,
    COMPREHENSION_KIND,
    LOOP_HEADS,
    LOOP_TO_EXPRESSION,
    SETDEFAULT,
    WRITE_LOOP_OUT,
    ANY_ALL,
    ENUMERATE,
    YIELD_FROM,
)
