"""Errors that are caught and raised."""

from __future__ import annotations

from copydesk.refactorings.errors.assert_to_raise import ASSERT_TO_RAISE
from copydesk.refactorings.errors.exceptions import CHAIN_EXCEPTION, LOG_EXCEPTION
from copydesk.refactorings.errors.try_statement import (
    CAUGHT_TYPES,
    CAUSES,
    HANDLERS,
    JUMP_INSTEAD,
    LOOK_FIRST,
    SUPPRESS,
    TRY,
    TRY_FINALLY,
)
from copydesk.refactorings.errors.wrap_in_try import WRAP_IN_TRY

REFACTORINGS = (
    ASSERT_TO_RAISE,
    CHAIN_EXCEPTION,
    LOG_EXCEPTION,
    CAUGHT_TYPES,
    CAUSES,
    HANDLERS,
    JUMP_INSTEAD,
    LOOK_FIRST,
    SUPPRESS,
    TRY,
    TRY_FINALLY,
    WRAP_IN_TRY,
)
