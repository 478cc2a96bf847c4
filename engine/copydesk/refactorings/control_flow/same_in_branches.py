"""A statement that every branch of an `if` begins or ends with, written once, before or behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, named, reindented, step_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, merged
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) < 2 or clauses[-1].word != "else":
            continue
        for at, place in ((-1, clauses[-1].last + 1), (0, clauses[0].head)):
            shared = {text_of(clause.statements[at]) if clause.statements else "" for clause in clauses}
            if len(shared) == 1 and (edits := _once(context, clauses, at, place)) is not None:
                where = "behind" if at else "before"
                said = named(clauses[0].statements[at])
                yield f"Write {said} once, {where} the if, not duplicated in all branches", edits


def _once(context: RefactoringContext, clauses: Sequence[Clause], at: int, place: int) -> Edits | None:
    """The edits that move a statement out of all clauses; None where one would be left without any. An `else` goes as a whole."""
    first, last = rows(clauses[0].statements[at])
    moved = reindented(context, first, last, -step_of(clauses[0]))
    if moved is None:
        return None
    removed: list[Edits] = []
    for clause in clauses:
        first, last = rows(clause.statements[at])
        alone = len(clause.statements) == 1
        if alone and clause.word != "else":
            return None
        removed.append(delete_lines(clause.head if alone else first, last))
    return merged(insert_lines(place, moved), *removed)


SAME_IN_BRANCHES = Refactoring("same_in_branches", "refactor.rewrite.sameInBranches", _propose)
