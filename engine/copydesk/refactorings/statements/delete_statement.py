"""One statement less."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context):
        first, last = rows(node)
        if first == last:
            yield f"Delete {text_of(node)}", delete_lines(first, last)


DELETE_STATEMENT = Refactoring("delete_statement", "refactor.rewrite.deleteStatement", _propose)
