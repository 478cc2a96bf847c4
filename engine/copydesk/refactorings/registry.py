"""All refactorings, and what they make of one selection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from copydesk.refactorings import (
    calls,
    conditions,
    control_flow,
    errors,
    idioms,
    layout,
    loops,
    names,
    signatures,
    statements,
    strings,
    texts,
    type_hints,
    values,
    variables,
)
from copydesk.refactorings.affinity import affinity
from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Candidate, Refactoring
from copydesk.refactorings.composition import pairs
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.ranking import Proposed, score
from copydesk.refactorings.validity import still_parses

MOST = 300
"""Candidates of one selection."""
MOST_LINES = 200
"""A longer selection, which no page would show, has none."""
_EACH = 500
"""Candidates of one refactoring that are compared with the others."""
_FAMILIES = (
    names,
    signatures,
    type_hints,
    variables,
    values,
    calls,
    conditions,
    control_flow,
    loops,
    errors,
    texts,
    statements,
    strings,
    idioms,
    layout,
)
"""In the order in which they propose: where two make the same edit and their titles fit alike, the first one's is kept."""


@cache
def all_refactorings() -> tuple[Refactoring, ...]:
    """Every refactoring there is, in a fixed order."""
    return tuple(one for family in _FAMILIES for one in family.REFACTORINGS)


def enumerate_candidates(
    context: RefactoringContext, arguments: Arguments, most: int = MOST
) -> list[Candidate]:
    """What all refactorings make of a selection, each once: those first that go best with the instruction (`ranking`), and what
    two of them make together where it has two parts (`composition`). None of code that does not parse, or of more than
    `MOST_LINES` lines. Raises: never.
    """
    found = _ranked(context, arguments, most)
    known = {one.edits for one in found}
    best = found[0].score if found else 0.0
    # Each does what one of the others does, and more: none of these goes better with the whole instruction.
    more = [replace(one, score=best) for one in pairs(context, arguments, _ranked) if one.edits not in known]
    return [*more, *found][:most]


def _ranked(context: RefactoringContext, arguments: Arguments, most: int) -> list[Candidate]:
    """What single refactorings make."""
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
