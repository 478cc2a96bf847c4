"""All refactorings, and what they make of one selection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from copydesk.refactorings.add_parameter import ADD_PARAMETER
from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Candidate, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.docstring import DOCSTRING
from copydesk.refactorings.extract_variable import EXTRACT_VARIABLE
from copydesk.refactorings.f_string import F_STRING
from copydesk.refactorings.guard_clause import GUARD_CLAUSE
from copydesk.refactorings.inline_variable import INLINE_VARIABLE
from copydesk.refactorings.invert_if import INVERT_IF
from copydesk.refactorings.parameter_default import PARAMETER_DEFAULT
from copydesk.refactorings.parameter_type import PARAMETER_TYPE
from copydesk.refactorings.print_variable import PRINT_VARIABLE
from copydesk.refactorings.remove_comments import REMOVE_COMMENTS
from copydesk.refactorings.remove_parameter import REMOVE_PARAMETER
from copydesk.refactorings.remove_prints import REMOVE_PRINTS
from copydesk.refactorings.rename_local import RENAME_LOCAL
from copydesk.refactorings.guard import GUARD
from copydesk.refactorings.return_type import RETURN_TYPE
from copydesk.refactorings.use_constant import USE_CONSTANT
from copydesk.refactorings.wrap_in_try import WRAP_IN_TRY

MOST = 300
"""Candidates of one selection."""
_EACH = 400
"""Proposals of one refactoring that are looked at."""


@cache
def all_refactorings() -> tuple[Refactoring, ...]:
    """Every refactoring there is, in a fixed order."""
    return (
        RENAME_LOCAL, INLINE_VARIABLE, EXTRACT_VARIABLE, USE_CONSTANT, PARAMETER_TYPE, RETURN_TYPE, PARAMETER_DEFAULT,
        ADD_PARAMETER, REMOVE_PARAMETER, DOCSTRING, GUARD, GUARD_CLAUSE, INVERT_IF, WRAP_IN_TRY, F_STRING,
        PRINT_VARIABLE, REMOVE_PRINTS, REMOVE_COMMENTS,
    )  # fmt: skip


def enumerate_candidates(
    context: RefactoringContext, arguments: Arguments, most: int = MOST
) -> list[Candidate]:
    """What all refactorings make of a selection, each text once: those first that use more of the words of the instruction.
    None of code that does not parse. Raises: never.
    """
    if context.broken:
        return []
    found = {candidate.edits: candidate for candidate in _candidates(context, arguments)}
    return sorted(found.values(), key=lambda candidate: -_used(candidate, arguments))[:most]


def _candidates(context: RefactoringContext, arguments: Arguments) -> Iterator[Candidate]:
    for refactoring in all_refactorings():
        try:
            yield from islice(refactoring.candidates(context, arguments), _EACH)
        except UnicodeEncodeError:
            continue  # a tree's columns are bytes, which such a line has not


def _used(candidate: Candidate, arguments: Arguments) -> int:
    """How many words of the instruction stand in the title, which names the arguments."""
    return len(arguments.words.intersection(re.findall(r"\w+", candidate.title.lower())))
