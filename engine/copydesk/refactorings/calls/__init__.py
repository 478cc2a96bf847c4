"""What is called, and with which arguments."""

from __future__ import annotations

from copydesk.refactorings.calls.call_another import CALL_ANOTHER, USE_NAME
from copydesk.refactorings.calls.call_arguments import CHANGE_ARGUMENT, PASS_ARGUMENT
from copydesk.refactorings.calls.clamp import CLAMP
from copydesk.refactorings.calls.default_of_call import DEFAULT_OF_CALL
from copydesk.refactorings.calls.open_mode import OPEN_MODE
from copydesk.refactorings.calls.sort_key import SORT_IN_PLACE, SORT_KEY
from copydesk.refactorings.calls.wrap_several import WRAP_SEVERAL
from copydesk.refactorings.calls.wrap_value import UNWRAP_VALUE, WRAP_VALUE

REFACTORINGS = (
    CALL_ANOTHER,
    USE_NAME,
    CHANGE_ARGUMENT,
    PASS_ARGUMENT,
    UNWRAP_VALUE,
    WRAP_VALUE,
    WRAP_SEVERAL,
    CLAMP,
    DEFAULT_OF_CALL,
    OPEN_MODE,
    SORT_KEY,
    SORT_IN_PLACE,
)
