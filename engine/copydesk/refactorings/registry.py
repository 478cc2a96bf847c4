"""All refactorings, and what they make of one selection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from copydesk.refactorings.add_comment import ADD_COMMENT
from copydesk.refactorings.add_condition import ADD_CONDITION
from copydesk.refactorings.add_entry import ADD_ENTRY
from copydesk.refactorings.add_field import ADD_FIELD
from copydesk.refactorings.add_guard import ADD_BRANCH, ADD_GUARD, DEFAULT_FOR_NONE, WRAP_IN_IF
from copydesk.refactorings.add_parameter import ADD_PARAMETER
from copydesk.refactorings.annotate_signature import ANNOTATE_SIGNATURE
from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.assert_to_raise import ASSERT_TO_RAISE
from copydesk.refactorings.branches import (
    DEFAULT_BEFORE_IF,
    DROP_BRANCH,
    ELIF,
    ELIF_AFTER_JUMP,
    MERGE_BRANCHES,
    NESTED_AND,
    PULL_OUT_OF_BRANCHES,
    SPLIT_BRANCH,
    UNWRAP,
)
from copydesk.refactorings.candidate import Candidate, Refactoring, stands
from copydesk.refactorings.change_literal import CHANGE_LITERAL
from copydesk.refactorings.comment_out import COMMENT_OUT
from copydesk.refactorings.comprehension import COMPREHENSION_TO_LOOP, LOOP_TO_COMPREHENSION
from copydesk.refactorings.conditional_expression import CONDITIONAL_TO_IF, IF_TO_CONDITIONAL
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.continue_early import CONTINUE_EARLY
from copydesk.refactorings.decorators import ADD_DECORATOR, REMOVE_DECORATOR
from copydesk.refactorings.delete_block import DELETE_BLOCK, DELETE_COMMENT
from copydesk.refactorings.delete_statement import DELETE_STATEMENT
from copydesk.refactorings.docstring import DOCSTRING
from copydesk.refactorings.drop_parameter import DROP_PARAMETER
from copydesk.refactorings.duplicate_line import DUPLICATE_LINE
from copydesk.refactorings.early_exit import EARLY_EXIT, NEST_REST
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.else_after_return import ELSE_AFTER_RETURN
from copydesk.refactorings.exceptions import CHAIN_EXCEPTION, LOG_EXCEPTION
from copydesk.refactorings.extract_variable import EXTRACT_VARIABLE
from copydesk.refactorings.f_string import F_STRING
from copydesk.refactorings.fix_spelling import FIX_SPELLING
from copydesk.refactorings.guard import GUARD
from copydesk.refactorings.guard_clause import GUARD_CLAUSE
from copydesk.refactorings.inline_value import INLINE_VALUE
from copydesk.refactorings.inline_variable import INLINE_VARIABLE
from copydesk.refactorings.insert_statement import INSERT_STATEMENT
from copydesk.refactorings.invert_if import INVERT_IF
from copydesk.refactorings.keyword_only import KEYWORD_ONLY
from copydesk.refactorings.loops import ANY_ALL, ENUMERATE, YIELD_FROM
from copydesk.refactorings.make_async import MAKE_ASYNC
from copydesk.refactorings.move_statement import MOVE_STATEMENT
from copydesk.refactorings.name_value import NAME_VALUE
from copydesk.refactorings.nested_ifs import MERGE_NESTED_IFS, SPLIT_CONDITION
from copydesk.refactorings.parameter_default import PARAMETER_DEFAULT
from copydesk.refactorings.parameter_type import PARAMETER_TYPE
from copydesk.refactorings.print_variable import PRINT_VARIABLE
from copydesk.refactorings.remove_comments import REMOVE_COMMENTS
from copydesk.refactorings.remove_parameter import REMOVE_PARAMETER
from copydesk.refactorings.remove_prints import REMOVE_PRINTS
from copydesk.refactorings.rename_local import RENAME_LOCAL
from copydesk.refactorings.rename_more import RENAME_MORE
from copydesk.refactorings.replace_name import REPLACE_NAME
from copydesk.refactorings.return_forms import ONE_RETURN, RETURN_IN_BRANCHES, RETURN_OR_NOT, TWO_RETURNS
from copydesk.refactorings.return_type import RETURN_TYPE
from copydesk.refactorings.reword_text import REWORD_TEXT
from copydesk.refactorings.shorter import AUGMENTED_ASSIGNMENT, CHAINED_COMPARISON, DICT_GET, MERGE_ISINSTANCE
from copydesk.refactorings.sort_entries import SORT_ENTRIES
from copydesk.refactorings.string_format import STRING_FORMAT
from copydesk.refactorings.swap_statements import SWAP_STATEMENTS
from copydesk.refactorings.try_statement import (
    CAUGHT_TYPES,
    CAUSES,
    HANDLERS,
    JUMP_INSTEAD,
    LOOK_FIRST,
    SUPPRESS,
    TRY,
    TRY_FINALLY,
)
from copydesk.refactorings.tuples import JOIN_ASSIGNMENTS, SPLIT_ASSIGNMENT, UNPACK_IN_LOOP
from copydesk.refactorings.use_constant import USE_CONSTANT
from copydesk.refactorings.use_with import USE_WITH
from copydesk.refactorings.walrus import WALRUS
from copydesk.refactorings.wrap_in_try import WRAP_IN_TRY

MOST = 300
"""Candidates of one selection."""
MOST_LINES = 200
"""A longer selection, which no page would show, has none."""
_EACH = 400
"""Candidates of one refactoring that are compared with the others."""
_TEXT = re.compile(r'"[^"\s]+(?:\s+[^"\s]+){2,}"')
"""A quoted text of three words or more."""


@cache
def all_refactorings() -> tuple[Refactoring, ...]:
    """Every refactoring there is, in a fixed order."""
    return (
        RENAME_LOCAL, REPLACE_NAME, INLINE_VARIABLE, EXTRACT_VARIABLE, USE_CONSTANT, ADD_COMMENT, ADD_CONDITION,
        ADD_ENTRY, ADD_FIELD, ADD_PARAMETER, ANNOTATE_SIGNATURE, ASSERT_TO_RAISE, CHANGE_LITERAL, COMMENT_OUT,
        COMPREHENSION_TO_LOOP, LOOP_TO_COMPREHENSION, CONDITIONAL_TO_IF, IF_TO_CONDITIONAL, CONTINUE_EARLY,
        ADD_DECORATOR, REMOVE_DECORATOR, DELETE_STATEMENT, DOCSTRING, DROP_PARAMETER, DUPLICATE_LINE,
        ELSE_AFTER_RETURN, CHAIN_EXCEPTION, LOG_EXCEPTION, F_STRING, FIX_SPELLING, GUARD, GUARD_CLAUSE, INVERT_IF,
        KEYWORD_ONLY, ANY_ALL, YIELD_FROM, ENUMERATE, MAKE_ASYNC, MERGE_NESTED_IFS, SPLIT_CONDITION,
        PARAMETER_DEFAULT, PARAMETER_TYPE, PRINT_VARIABLE, REMOVE_COMMENTS, REMOVE_PARAMETER, REMOVE_PRINTS,
        RETURN_TYPE, REWORD_TEXT, DICT_GET, AUGMENTED_ASSIGNMENT, MERGE_ISINSTANCE, CHAINED_COMPARISON, SORT_ENTRIES,
        STRING_FORMAT, SWAP_STATEMENTS, USE_WITH, WALRUS, WRAP_IN_TRY,
        ADD_GUARD, WRAP_IN_IF, ADD_BRANCH, DEFAULT_FOR_NONE, MERGE_BRANCHES,
        SPLIT_BRANCH, ELIF, DROP_BRANCH, UNWRAP, ELIF_AFTER_JUMP,
        PULL_OUT_OF_BRANCHES, DEFAULT_BEFORE_IF, NESTED_AND, DELETE_BLOCK, DELETE_COMMENT,
        EARLY_EXIT, NEST_REST, INSERT_STATEMENT, MOVE_STATEMENT, ONE_RETURN,
        TWO_RETURNS, RETURN_IN_BRANCHES, RETURN_OR_NOT, TRY, TRY_FINALLY,
        CAUGHT_TYPES, HANDLERS, SUPPRESS, LOOK_FIRST, CAUSES,
        JUMP_INSTEAD,
        INLINE_VALUE, NAME_VALUE, RENAME_MORE, SPLIT_ASSIGNMENT, JOIN_ASSIGNMENTS,
        UNPACK_IN_LOOP,
    )  # fmt: skip


def enumerate_candidates(
    context: RefactoringContext, arguments: Arguments, most: int = MOST
) -> list[Candidate]:
    """What all refactorings make of a selection, each once: those first whose titles go best with the instruction (`affinity`).
    None of code that does not parse, or of more than `MOST_LINES` lines. Raises: never.
    """
    if context.broken or sum(last - first + 1 for first, last in context.scope) > MOST_LINES:
        return []
    found: dict[Edits, tuple[float, Candidate]] = {}
    for one in _candidates(context, arguments):
        rank = affinity(one.title, arguments.words)
        if one.edits not in found or found[one.edits][0] < rank:
            found[one.edits] = rank, one
    ranked = (one for _, one in sorted(found.values(), key=lambda ranked: -ranked[0]))
    return list(islice((one for one in ranked if stands(context, one)), most))


def _candidates(context: RefactoringContext, arguments: Arguments) -> Iterator[Candidate]:
    for refactoring in all_refactorings():
        try:
            yield from islice(refactoring.unchecked(context, arguments), _EACH)
        except UnicodeEncodeError:
            continue  # a tree's columns are bytes, which such a line has not


def affinity(title: str, words: frozenset[str]) -> float:
    """How well a title goes with an instruction of these words: those it has of them, less half of those it has beside them.

    A word counts whatever its ending is. A quoted text of three words or more does not count: the instruction itself would do.
    """
    named = {_stem(word) for word in re.findall(r"\w+", _TEXT.sub(" ", title).lower())}
    used = len(named & {_stem(word) for word in words})
    return used - (len(named) - used) / 2


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word
