"""Which of the selected functions and classes have a docstring."""

from __future__ import annotations

from copydesk.refactorings.context import RefactoringContext


def docstrings(context: RefactoringContext) -> list[bool]:
    """Whether each function and class that is selected as a whole has one."""
    found = []
    for node in context.walk("function_definition", "class_definition"):
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body is not None and body.named_children else None
        found.append(
            first is not None
            and first.type == "expression_statement"
            and [one.type for one in first.named_children] == ["string"]
        )
    return found
