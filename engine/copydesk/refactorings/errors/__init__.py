"""Errors that are caught and raised."""

from __future__ import annotations

from copydesk.refactorings.errors.except_clauses import (
    CAUGHT_TYPES,
    HANDLERS,
    LOG_EXCEPTION,
    LOOK_FIRST,
    SUPPRESS,
)
from copydesk.refactorings.errors.raise_statement import ASSERT_TO_RAISE, CHAIN_EXCEPTION, JUMP_INSTEAD
from copydesk.refactorings.errors.wrap_in_try import TRY_FINALLY, WRAP_IN_TRY

REFACTORINGS = (
    CAUGHT_TYPES,
    HANDLERS,
    LOG_EXCEPTION,
    LOOK_FIRST,
    SUPPRESS,
    ASSERT_TO_RAISE,
    CHAIN_EXCEPTION,
    JUMP_INSTEAD,
    TRY_FINALLY,
    WRAP_IN_TRY,
)
