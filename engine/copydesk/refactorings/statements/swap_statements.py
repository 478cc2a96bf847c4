"""Two statements, one behind the other, in the other order."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import following, selected_statements, stands_alone
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "expression_statement"):
        below = following(node)
        if below is None or below.type != "expression_statement" or not stands_alone(context, below):
            continue
        (first, middle), (begin, last) = rows(node), rows(below)
        lines = [*context.view(begin, last), *context.view(first, middle)]
        yield f"Move {text_of(below)} before {text_of(node)}", replace_lines(first, last, lines)


SWAP_STATEMENTS = Refactoring("swap_statements", "refactor.rewrite.swapStatements", _propose)
