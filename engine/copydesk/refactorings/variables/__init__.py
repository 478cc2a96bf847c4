"""Variables made, inlined, and assigned together or apart."""

from __future__ import annotations

from copydesk.refactorings.variables.direct_attribute import DIRECT_ATTRIBUTE
from copydesk.refactorings.variables.extract_constant import EXTRACT_CONSTANT
from copydesk.refactorings.variables.extract_variable import EXTRACT_VARIABLE
from copydesk.refactorings.variables.inline import INLINE_VARIABLE
from copydesk.refactorings.variables.unpacking import JOIN_ASSIGNMENTS, SPLIT_ASSIGNMENT
from copydesk.refactorings.variables.use_constant import USE_CONSTANT

REFACTORINGS = (
    EXTRACT_CONSTANT,
    EXTRACT_VARIABLE,
    INLINE_VARIABLE,
    JOIN_ASSIGNMENTS,
    SPLIT_ASSIGNMENT,
    USE_CONSTANT,
    DIRECT_ATTRIBUTE,
)
