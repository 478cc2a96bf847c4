"""Whether what an edit leaves can be parsed: by Python's own parser, and only the statement that it changes."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.syntax.fragment import error_line
from copydesk.syntax.tree import rows


def still_parses(context: RefactoringContext, edits: Edits) -> bool:
    """Whether the statements round the edits parse once these are made."""
    first = min(edit.first for edit in edits)
    last = max(max(edit.first, edit.last) for edit in edits)
    first, last = _statements(context, first, min(last, len(context.lines)))
    lines = context.view(first, last)
    for edit in reversed(edits):
        lines[edit.first - first : edit.last + 1 - first] = [edit.text]
    text = "".join(lines)
    return error_line(f"if 1:\n{text}" if text.startswith((" ", "\t")) else text) is None


def _statements(context: RefactoringContext, first: int, last: int) -> tuple[int, int]:
    """The lines of the statements of a module or class body that lines `first` to `last` are in."""
    begin, end, inside = first, last, list(context.nodes)
    while True:
        touched = [n for n in inside if rows(n)[0] <= last and first <= rows(n)[1] and n.type != "comment"]
        if not touched:
            return begin, end
        begin, end = min(first, rows(touched[0])[0]), max(last, rows(touched[-1])[1])
        body = _class_body(touched[0]) if len(touched) == 1 else None
        if body is None or first <= body.start_point[0]:
            return begin, end
        inside = body.named_children


def _class_body(node: Node) -> Node | None:
    if node.type == "decorated_definition":
        definition = node.child_by_field_name("definition")
        return _class_body(definition) if definition is not None else None
    return node.child_by_field_name("body") if node.type == "class_definition" else None
