"""Loops and comprehensions."""

from __future__ import annotations

from copydesk.refactorings.loops.comprehension_to_loop import COMPREHENSION_TO_LOOP
from copydesk.refactorings.loops.filter_comprehension import COMPREHENSION_KIND, FILTER_COMPREHENSION
from copydesk.refactorings.loops.loop_target import CHANGE_LOOP_TARGET, ENUMERATE, UNPACK_IN_LOOP
from copydesk.refactorings.loops.loop_to_comprehension import ANY_ALL, LOOP_TO_COMPREHENSION, YIELD_FROM

REFACTORINGS = (
    COMPREHENSION_TO_LOOP,
    COMPREHENSION_KIND,
    FILTER_COMPREHENSION,
    ENUMERATE,
    CHANGE_LOOP_TARGET,
    UNPACK_IN_LOOP,
    ANY_ALL,
    LOOP_TO_COMPREHENSION,
    YIELD_FROM,
)
