"""Type annotations."""

from __future__ import annotations

from copydesk.refactorings.type_hints.annotate_function import ANNOTATE_PARAMETER, ANNOTATE_SIGNATURE
from copydesk.refactorings.type_hints.annotate_variable import ANNOTATE_VARIABLE
from copydesk.refactorings.type_hints.change_type import CHANGE_TYPE

REFACTORINGS = (
    ANNOTATE_PARAMETER,
    ANNOTATE_SIGNATURE,
    ANNOTATE_VARIABLE,
    CHANGE_TYPE,
)
