"""Literals, entries of collections, and other values."""

from __future__ import annotations

from copydesk.refactorings.values.change_literal import CHANGE_LITERAL
from copydesk.refactorings.values.change_number import CHANGE_NUMBER
from copydesk.refactorings.values.change_return import CHANGE_RETURN
from copydesk.refactorings.values.count_up import COUNT_UP
from copydesk.refactorings.values.entries import ADD_ENTRY, CHANGE_ENTRIES
from copydesk.refactorings.values.fallback import CHANGE_FALLBACK, SETDEFAULT, TAKE_ENTRY
from copydesk.refactorings.values.gather import GATHER
from copydesk.refactorings.values.name_or_text import NAME_OR_TEXT
from copydesk.refactorings.values.named_field import NAMED_FIELD
from copydesk.refactorings.values.normalize import NORMALIZE_PARAMETER
from copydesk.refactorings.values.part_of_value import PART_OF_VALUE
from copydesk.refactorings.values.sort_entries import SORT_ENTRIES
from copydesk.refactorings.values.unless_none import UNLESS_NONE
from copydesk.refactorings.values.use_expression import USE_EXPRESSION

REFACTORINGS = (
    CHANGE_LITERAL,
    CHANGE_NUMBER,
    NAME_OR_TEXT,
    COUNT_UP,
    CHANGE_RETURN,
    ADD_ENTRY,
    CHANGE_ENTRIES,
    CHANGE_FALLBACK,
    UNLESS_NONE,
    TAKE_ENTRY,
    SORT_ENTRIES,
    USE_EXPRESSION,
    NORMALIZE_PARAMETER,
    SETDEFAULT,
    GATHER,
    PART_OF_VALUE,
    NAMED_FIELD,
)
