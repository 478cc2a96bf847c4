"""How strings are put together."""

from __future__ import annotations

from copydesk.refactorings.strings.conversion import CHANGE_CONVERSION
from copydesk.refactorings.strings.f_string import F_STRING
from copydesk.refactorings.strings.lazy_logging import LAZY_LOGGING
from copydesk.refactorings.strings.prefixes import STRING_PREFIX
from copydesk.refactorings.strings.string_format import STRING_FORMAT

REFACTORINGS = (
    CHANGE_CONVERSION,
    F_STRING,
    STRING_PREFIX,
    STRING_FORMAT,
    LAZY_LOGGING,
)
