"""Errors that are caught and raised."""

from __future__ import annotations

from copydesk.refactorings.errors.assert_message import ASSERT_MESSAGE
from copydesk.refactorings.errors.errno_exceptions import ERRNO_EXCEPTION
from copydesk.refactorings.errors.except_clauses import (
    CHANGE_CAUGHT_TYPES,
    CHANGE_HANDLERS,
    REPLACE_EXCEPTION_WITH_PRECHECK,
    SUPPRESS,
    UNSUPPRESS,
)
from copydesk.refactorings.errors.name_in_error import NAME_IN_ERROR
from copydesk.refactorings.errors.raise_otherwise import RAISE_OTHERWISE
from copydesk.refactorings.errors.raise_statement import (
    ASSERT_TO_RAISE,
    CHAIN_EXCEPTION,
    LOG_TO_RAISE,
    RETURN_FOR_RAISE,
)
from copydesk.refactorings.errors.report_error import REPORT_ERROR
from copydesk.refactorings.errors.reraise_otherwise import RERAISE_OTHERWISE
from copydesk.refactorings.errors.wrap_in_suppress import WRAP_IN_SUPPRESS
from copydesk.refactorings.errors.wrap_in_try import TRY_FINALLY, WRAP_IN_TRY

REFACTORINGS = (
    CHANGE_CAUGHT_TYPES,
    CHANGE_HANDLERS,
    REPLACE_EXCEPTION_WITH_PRECHECK,
    SUPPRESS,
    ASSERT_TO_RAISE,
    LOG_TO_RAISE,
    CHAIN_EXCEPTION,
    REPORT_ERROR,
    RERAISE_OTHERWISE,
    RAISE_OTHERWISE,
    NAME_IN_ERROR,
    TRY_FINALLY,
    WRAP_IN_TRY,
    ASSERT_MESSAGE,
    UNSUPPRESS,
    RETURN_FOR_RAISE,
    ERRNO_EXCEPTION,
    WRAP_IN_SUPPRESS,
)
