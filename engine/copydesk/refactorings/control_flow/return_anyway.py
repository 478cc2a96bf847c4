"""A return that ends the only branch of an `if`, made behind that: the value is returned in any case."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, named, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, insert_lines
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import rows


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) != 1 or len(clauses[0].statements) < 2 or node.next_named_sibling is not None:
            continue
        last, test = clauses[0].statements[-1], clauses[0].test
        if last.type != "return_statement" or test is None or in_one_line(test) is None:
            continue
        moved = reindented(context, *rows(last), node.start_point[1] - last.start_point[1])
        other = next(iter(opposites(test)), None) or f"not {in_one_line(test)}"
        if moved is not None:
            said = named(last)
            title = f"{said[0].upper()}{said[1:]} in any case, also if {other}"
            yield title, delete_lines(*rows(last)) + insert_lines(rows(node)[1] + 1, moved)


RETURN_ANYWAY = Refactoring("return_anyway", "refactor.rewrite.returnAnyway", _propose)
