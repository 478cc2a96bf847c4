"""How code is laid out on lines."""

from __future__ import annotations

from copydesk.refactorings.layout.break_text import BREAK_TEXT
from copydesk.refactorings.layout.ellipsis_body import ELLIPSIS_BODY
from copydesk.refactorings.layout.imports import IMPORTED_NAMES, JOIN_IMPORTS, SPLIT_IMPORTS
from copydesk.refactorings.layout.line_breaks import (
    BRACKETS_FOR_BACKSLASH,
    NO_BACKSLASH,
    ONE_LINE,
    ONE_PER_LINE,
)
from copydesk.refactorings.layout.marks import (
    BLANK_AFTER_COMMA,
    BLANK_BEFORE_CALL,
    BLANKS_ROUND_OPERATORS,
    NO_BLANKS_INSIDE,
    TRAILING_COMMA,
)
from copydesk.refactorings.layout.one_statement_per_line import ONE_STATEMENT_PER_LINE

REFACTORINGS = (
    ELLIPSIS_BODY,
    ONE_LINE,
    ONE_PER_LINE,
    ONE_STATEMENT_PER_LINE,
    NO_BACKSLASH,
    TRAILING_COMMA,
    BLANK_BEFORE_CALL,
    BLANK_AFTER_COMMA,
    BLANKS_ROUND_OPERATORS,
    BREAK_TEXT,
    BRACKETS_FOR_BACKSLASH,
    NO_BLANKS_INSIDE,
    JOIN_IMPORTS,
    SPLIT_IMPORTS,
    IMPORTED_NAMES,
)
