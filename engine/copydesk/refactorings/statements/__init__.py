"""Whole statements: added, moved, deleted."""

from __future__ import annotations

from copydesk.refactorings.statements.call_super import CALL_SUPER
from copydesk.refactorings.statements.copy_statement import COPY_STATEMENT
from copydesk.refactorings.statements.delete_statement import DELETE_STATEMENT, REMOVE_BLANK_LINES
from copydesk.refactorings.statements.extend_once import EXTEND_ONCE
from copydesk.refactorings.statements.fill_at_once import FILL_AT_ONCE
from copydesk.refactorings.statements.insert_statement import INSERT_STATEMENT
from copydesk.refactorings.statements.move_statement import MOVE_STATEMENT
from copydesk.refactorings.statements.print_variable import PRINT_VARIABLE
from copydesk.refactorings.statements.remove_prints import REMOVE_PRINTS
from copydesk.refactorings.statements.set_state import SET_STATE
from copydesk.refactorings.statements.sort_lines import SORT_LINES

REFACTORINGS = (
    DELETE_STATEMENT,
    REMOVE_BLANK_LINES,
    INSERT_STATEMENT,
    SET_STATE,
    CALL_SUPER,
    MOVE_STATEMENT,
    PRINT_VARIABLE,
    REMOVE_PRINTS,
    COPY_STATEMENT,
    EXTEND_ONCE,
    FILL_AT_ONCE,
    SORT_LINES,
)
