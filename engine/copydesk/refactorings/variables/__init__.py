"""Variables made, inlined, and assigned together or apart."""

from __future__ import annotations

from copydesk.refactorings.variables.extract_variable import EXTRACT_VARIABLE
from copydesk.refactorings.variables.inline_value import INLINE_VALUE
from copydesk.refactorings.variables.inline_variable import INLINE_VARIABLE
from copydesk.refactorings.variables.name_value import NAME_VALUE
from copydesk.refactorings.variables.unpacking import JOIN_ASSIGNMENTS, SPLIT_ASSIGNMENT, UNPACK_IN_LOOP
from copydesk.refactorings.variables.use_constant import USE_CONSTANT

REFACTORINGS = (
    EXTRACT_VARIABLE,
    INLINE_VALUE,
    INLINE_VARIABLE,
    NAME_VALUE,
    JOIN_ASSIGNMENTS,
    SPLIT_ASSIGNMENT,
    UNPACK_IN_LOOP,
    USE_CONSTANT,
)
