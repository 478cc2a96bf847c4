"""Type annotations."""

from __future__ import annotations

from copydesk.refactorings.annotations.annotate_signature import ANNOTATE_SIGNATURE
from copydesk.refactorings.annotations.annotations import ANNOTATE_FUNCTION, ANNOTATE_VARIABLE, CHANGE_TYPE
from copydesk.refactorings.annotations.parameter_type import PARAMETER_TYPE
from copydesk.refactorings.annotations.return_type import RETURN_TYPE

REFACTORINGS = (
    ANNOTATE_SIGNATURE,
    ANNOTATE_FUNCTION,
    ANNOTATE_VARIABLE,
    CHANGE_TYPE,
    PARAMETER_TYPE,
    RETURN_TYPE,
)
