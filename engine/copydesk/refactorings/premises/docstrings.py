"""Which of the selected functions and classes have a docstring."""

from __future__ import annotations

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import is_docstring


def docstrings(context: RefactoringContext) -> list[bool]:
    """Whether each function and class that is selected as a whole has one."""
    strings = {
        one.parent.parent for one in context.walk("string") if is_docstring(one) and one.parent is not None
    }
    nodes = context.walk("function_definition", "class_definition")
    return [node.child_by_field_name("body") in strings for node in nodes]
