"""The body of the one function that is selected, and what can be put into it."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.context import RefactoringContext


def body_of(context: RefactoringContext) -> list[Node]:
    """The statements of the one function that is selected; none where they share a line with its head."""
    function = context.function()
    statements = statements_of(function.child_by_field_name("body")) if function is not None else []
    return statements if statements and context.starts_line(statements[0]) else []


def first_statement(context: RefactoringContext) -> Node | None:
    """The first statement of that function behind its docstring."""
    return next((node for node in body_of(context) if not is_text(node)), None)


def can_insert_before(context: RefactoringContext, node: Node) -> bool:
    """Whether lines before a statement are in the selection, or at its edge."""
    line = node.start_point[0] + 1
    return context.starts_line(node) and (context.shows(line, line) or context.shows(line - 1, line - 1))
