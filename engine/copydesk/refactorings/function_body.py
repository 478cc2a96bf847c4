"""The body of the one function that is selected, and what can be put into it."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines
from copydesk.syntax.tree import text_of


def body_of(context: RefactoringContext) -> list[Node]:
    """The statements of the one function that is selected; none where they share a line with its head."""
    function = context.function()
    statements = statements_of(function.child_by_field_name("body")) if function is not None else []
    return statements if statements and context.starts_line(statements[0]) else []


def can_insert_before(context: RefactoringContext, node: Node) -> bool:
    """Whether lines before a statement are in the selection, or at its edge."""
    line = node.start_point[0] + 1
    return context.starts_line(node) and (context.shows(line, line) or context.shows(line - 1, line - 1))


def add_guard(test: str, action: str, context: RefactoringContext) -> Edits | None:
    """`if test: action` as the first thing the selected function does, behind its docstring."""
    first = next((node for node in body_of(context) if not is_text(node)), None)
    if first is None:
        return None
    head, answer = f"if {test}:\n", action
    if " ".join(text_of(first).split()) == " ".join((head + answer).split()):
        return ()
    if not can_insert_before(context, first):
        return None
    indent = context.indent(first)
    function = context.function()
    assert function is not None
    step = indent[: len(indent) - len(context.indent(function))] or "    "
    return insert_lines(first.start_point[0] + 1, [f"{indent}{head}", f"{indent}{step}{answer}\n"])
