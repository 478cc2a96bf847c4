"""What an assertion says when it fails."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, replace_span
from copydesk.refactorings.expressions import variables
from copydesk.refactorings.requested import quoted, quoted_texts
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "assert_statement"):
        test, *message = node.named_children
        if message:
            dropped = replace_span(context.lines, end_of(test), end_of(node), "")
            yield f"Drop the message of {named(node)}", dropped
            continue
        texts = [quoted(text) for text in quoted_texts(arguments)[:2]]
        said = [name for name in (*arguments.dotted, *arguments.names) if context.knows(name)]
        for value in dict.fromkeys([*texts, *said[:4], *variables(test), text_of(test)]):
            if value == "self":
                continue
            title = f"Show {value} when {named(node)} fails, the message"
            yield title, insert_at(context.lines, end_of(test), f", {value}")


ASSERT_MESSAGE = Refactoring("assert_message", "refactor.rewrite.assertMessage", _propose)
