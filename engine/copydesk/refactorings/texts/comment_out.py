"""A statement made a comment."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context):
        first, last = rows(node)
        if first == last:
            yield f"Comment out {text_of(node)}", insert_at(context.lines, start_of(node), "# ")


COMMENT_OUT = Refactoring("comment_out", "refactor.rewrite.commentOut", _propose)
