"""Loops and comprehensions."""

from __future__ import annotations

from copydesk.refactorings.loops.any_or_all import ANY_ALL
from copydesk.refactorings.loops.comprehension_to_loop import COMPREHENSION_TO_LOOP
from copydesk.refactorings.loops.direction import REVERSE_LOOP
from copydesk.refactorings.loops.empty_after import EMPTY_AFTER
from copydesk.refactorings.loops.filter_entries import FILTER_ENTRIES
from copydesk.refactorings.loops.first_entry import FIRST_ENTRY
from copydesk.refactorings.loops.loop_condition import LOOP_CONDITION
from copydesk.refactorings.loops.loop_target import ENUMERATE, UNPACK_IN_LOOP
from copydesk.refactorings.loops.loop_to_comprehension import LOOP_TO_COMPREHENSION, YIELD_FROM
from copydesk.refactorings.loops.pop_before import POP_BEFORE
from copydesk.refactorings.loops.repeat_in_loop import REPEAT_IN_LOOP
from copydesk.refactorings.loops.skip_entry import SKIP_ENTRY
from copydesk.refactorings.loops.unused_target import UNUSED_TARGET
from copydesk.refactorings.loops.while_to_for import WHILE_TO_FOR

REFACTORINGS = (
    COMPREHENSION_TO_LOOP,
    ENUMERATE,
    UNPACK_IN_LOOP,
    ANY_ALL,
    LOOP_TO_COMPREHENSION,
    YIELD_FROM,
    FIRST_ENTRY,
    REVERSE_LOOP,
    SKIP_ENTRY,
    FILTER_ENTRIES,
    UNUSED_TARGET,
    REPEAT_IN_LOOP,
    EMPTY_AFTER,
    POP_BEFORE,
    WHILE_TO_FOR,
    LOOP_CONDITION,
)
