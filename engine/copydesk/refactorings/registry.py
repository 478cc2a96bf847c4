"""All refactorings, and what they make of one selection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from copydesk.refactorings.accept_another import ACCEPT_ANOTHER
from copydesk.refactorings.add_comment import ADD_COMMENT
from copydesk.refactorings.add_condition import ADD_CONDITION
from copydesk.refactorings.add_default import ADD_DEFAULT
from copydesk.refactorings.add_entry import ADD_ENTRY
from copydesk.refactorings.add_field import ADD_FIELD
from copydesk.refactorings.add_guard import ADD_BRANCH, ADD_GUARD, DEFAULT_FOR_NONE, WRAP_IN_IF
from copydesk.refactorings.add_parameter import ADD_PARAMETER
from copydesk.refactorings.affinity import affinity
from copydesk.refactorings.annotate_signature import ANNOTATE_SIGNATURE
from copydesk.refactorings.annotations import ANNOTATE_FUNCTION, ANNOTATE_VARIABLE, CHANGE_TYPE
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
from copydesk.refactorings.call_another import CALL_ANOTHER, USE_ATTRIBUTE, USE_NAME
from copydesk.refactorings.call_arguments import CHANGE_ARGUMENT, PASS_ARGUMENT
from copydesk.refactorings.candidate import Candidate, Refactoring
from copydesk.refactorings.change_literal import CHANGE_LITERAL
from copydesk.refactorings.change_operator import CHANGE_OPERATOR
from copydesk.refactorings.change_return import CHANGE_RETURN
from copydesk.refactorings.change_test import CHANGE_TEST
from copydesk.refactorings.comment_forms import COMMENT_ANYWHERE, COMMENT_FORMS
from copydesk.refactorings.comment_out import COMMENT_OUT
from copydesk.refactorings.comprehension import COMPREHENSION_TO_LOOP, LOOP_TO_COMPREHENSION
from copydesk.refactorings.conditional_expression import CONDITIONAL_TO_IF, IF_TO_CONDITIONAL
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.continue_early import CONTINUE_EARLY
from copydesk.refactorings.conversion import CHANGE_CONVERSION
from copydesk.refactorings.decorators import ADD_DECORATOR, REMOVE_DECORATOR
from copydesk.refactorings.delete_block import BLANK_LINES, DELETE_BLOCK, DELETE_COMMENT
from copydesk.refactorings.delete_statement import DELETE_STATEMENT
from copydesk.refactorings.docstring import DOCSTRING
from copydesk.refactorings.docstring_forms import COMMENT_TO_DOCSTRING, DOCSTRING_FORMS
from copydesk.refactorings.drop_condition import DROP_CONDITION
from copydesk.refactorings.drop_parameter import DROP_PARAMETER
from copydesk.refactorings.duplicate_line import DUPLICATE_LINE
from copydesk.refactorings.early_exit import EARLY_EXIT, NEST_REST
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.else_after_return import ELSE_AFTER_RETURN
from copydesk.refactorings.entries import CHANGE_ENTRIES
from copydesk.refactorings.exceptions import CHAIN_EXCEPTION, LOG_EXCEPTION
from copydesk.refactorings.extract_variable import EXTRACT_VARIABLE
from copydesk.refactorings.f_string import F_STRING
from copydesk.refactorings.fallback_value import FALLBACK_VALUE, TAKE_ENTRY
from copydesk.refactorings.filter_comprehension import FILTER_COMPREHENSION
from copydesk.refactorings.fix_spelling import FIX_SPELLING
from copydesk.refactorings.guard import GUARD
from copydesk.refactorings.guard_clause import GUARD_CLAUSE
from copydesk.refactorings.inline_value import INLINE_VALUE
from copydesk.refactorings.inline_variable import INLINE_VARIABLE
from copydesk.refactorings.insert_statement import INSERT_STATEMENT
from copydesk.refactorings.invert_if import INVERT_IF
from copydesk.refactorings.keyword_only import KEYWORD_ONLY
from copydesk.refactorings.lambda_function import FUNCTION_TO_LAMBDA, LAMBDA_TO_FUNCTION
from copydesk.refactorings.loop_forms import (
    COMPREHENSION_KIND,
    LOOP_HEADS,
    LOOP_TO_EXPRESSION,
    SETDEFAULT,
    WRITE_LOOP_OUT,
)
from copydesk.refactorings.loops import ANY_ALL, ENUMERATE, YIELD_FROM
from copydesk.refactorings.make_async import MAKE_ASYNC
from copydesk.refactorings.message_forms import MESSAGE_FORMS
from copydesk.refactorings.modern_forms import MODERN_FORMS
from copydesk.refactorings.move_statement import MOVE_STATEMENT
from copydesk.refactorings.name_value import NAME_VALUE
from copydesk.refactorings.nested_ifs import MERGE_NESTED_IFS, SPLIT_CONDITION
from copydesk.refactorings.offsets import CHANGE_NUMBER, SHIFT_INDEX
from copydesk.refactorings.parameter_default import PARAMETER_DEFAULT
from copydesk.refactorings.parameter_type import PARAMETER_TYPE
from copydesk.refactorings.print_variable import PRINT_VARIABLE
from copydesk.refactorings.ranking import Proposed, score
from copydesk.refactorings.remove_comments import REMOVE_COMMENTS
from copydesk.refactorings.remove_parameter import REMOVE_PARAMETER
from copydesk.refactorings.remove_prints import REMOVE_PRINTS
from copydesk.refactorings.rename_local import RENAME_LOCAL
from copydesk.refactorings.rename_more import RENAME_MORE
from copydesk.refactorings.replace_name import REPLACE_NAME
from copydesk.refactorings.replace_words import LEAVE_OUT_WORDS, PUNCTUATION, REPLACE_WORDS, SPLICE_WORDING
from copydesk.refactorings.return_forms import ONE_RETURN, RETURN_IN_BRANCHES, RETURN_OR_NOT, TWO_RETURNS
from copydesk.refactorings.return_type import RETURN_TYPE
from copydesk.refactorings.reword_text import REWORD_TEXT
from copydesk.refactorings.shorter import AUGMENTED_ASSIGNMENT, CHAINED_COMPARISON, DICT_GET, MERGE_ISINSTANCE
from copydesk.refactorings.signature_forms import METHOD_KIND, SIGNATURE_FORMS
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
from copydesk.refactorings.use_expression import USE_EXPRESSION
from copydesk.refactorings.use_with import USE_WITH
from copydesk.refactorings.validity import still_parses
from copydesk.refactorings.walrus import WALRUS
from copydesk.refactorings.wrap_in_try import WRAP_IN_TRY
from copydesk.refactorings.wrap_value import UNWRAP_VALUE, WRAP_VALUE

MOST = 300
"""Candidates of one selection."""
MOST_LINES = 200
"""A longer selection, which no page would show, has none."""
_EACH = 400
"""Candidates of one refactoring that are compared with the others."""


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
        ACCEPT_ANOTHER, ADD_DEFAULT, CALL_ANOTHER, CHANGE_ARGUMENT, CHANGE_CONVERSION, CHANGE_ENTRIES, CHANGE_NUMBER,
        CHANGE_OPERATOR, CHANGE_RETURN, CHANGE_TEST, CHANGE_TYPE, ANNOTATE_FUNCTION, ANNOTATE_VARIABLE, DROP_CONDITION,
        FALLBACK_VALUE, FILTER_COMPREHENSION,
        FUNCTION_TO_LAMBDA, LAMBDA_TO_FUNCTION, MODERN_FORMS, PASS_ARGUMENT, SHIFT_INDEX, TAKE_ENTRY,
        UNWRAP_VALUE, USE_ATTRIBUTE, USE_EXPRESSION, USE_NAME, WRAP_VALUE,
        ADD_GUARD, WRAP_IN_IF, ADD_BRANCH, DEFAULT_FOR_NONE, MERGE_BRANCHES,
        SPLIT_BRANCH, ELIF, DROP_BRANCH, UNWRAP, ELIF_AFTER_JUMP,
        PULL_OUT_OF_BRANCHES, DEFAULT_BEFORE_IF, NESTED_AND, DELETE_BLOCK, DELETE_COMMENT,
        EARLY_EXIT, NEST_REST, INLINE_VALUE, INSERT_STATEMENT, MOVE_STATEMENT,
        NAME_VALUE, RENAME_MORE, ONE_RETURN, TWO_RETURNS, RETURN_IN_BRANCHES,
        RETURN_OR_NOT, TRY, TRY_FINALLY, CAUGHT_TYPES, HANDLERS,
        SUPPRESS, LOOK_FIRST, CAUSES, JUMP_INSTEAD, SPLIT_ASSIGNMENT,
        JOIN_ASSIGNMENTS, UNPACK_IN_LOOP,
        COMMENT_ANYWHERE, COMMENT_FORMS, DOCSTRING_FORMS, COMMENT_TO_DOCSTRING, MESSAGE_FORMS,
        REPLACE_WORDS, LEAVE_OUT_WORDS, PUNCTUATION,
        SPLICE_WORDING,
        BLANK_LINES, WRITE_LOOP_OUT, LOOP_TO_EXPRESSION, SETDEFAULT, LOOP_HEADS,
        COMPREHENSION_KIND, SIGNATURE_FORMS, METHOD_KIND,
    )  # fmt: skip


def enumerate_candidates(
    context: RefactoringContext, arguments: Arguments, most: int = MOST
) -> list[Candidate]:
    """What all refactorings make of a selection, each once: those first that go best with the instruction (`ranking`).
    None of code that does not parse, or of more than `MOST_LINES` lines. Raises: never.
    """
    if context.broken or sum(last - first + 1 for first, last in context.scope) > MOST_LINES:
        return []
    found = proposals(context, arguments)
    scores = score(context, arguments, found)
    order = np.argsort(-scores, kind="stable")
    ranked = (replace(found[k].candidate, score=float(scores[k])) for k in order)
    return list(islice((one for one in ranked if still_parses(context, one.edits)), most))


def proposals(context: RefactoringContext, arguments: Arguments) -> list[Proposed]:
    """What all refactorings propose, each edit once, under the title that goes best with the instruction; some may not parse."""
    best: dict[Edits, Proposed] = {}
    for refactoring in all_refactorings():
        for place, candidate in enumerate(_proposed(refactoring, context, arguments)):
            fit = affinity(candidate.title, arguments.words)
            if candidate.edits not in best or fit > best[candidate.edits].affinity:
                best[candidate.edits] = Proposed(refactoring.name, place, candidate, fit)
    return [*best.values()]


def _proposed(
    refactoring: Refactoring, context: RefactoringContext, arguments: Arguments
) -> Iterator[Candidate]:
    try:
        yield from islice(refactoring.proposals(context, arguments), _EACH)
    except UnicodeEncodeError:
        return  # a tree's columns are bytes, which such a line has not
