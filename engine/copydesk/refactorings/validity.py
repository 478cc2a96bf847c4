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
    last = min(max(max(edit.first, edit.last) for edit in edits), len(context.lines))
    inner = _inner_block(context, first, last)
    if inner is not None and _parses_inside(context, edits, *inner):
        return True
    begin, end = _statements(context, first, last)
    text = _edited(context, edits, begin, end)
    return error_line(f"if 1:\n{text}" if text.startswith((" ", "\t")) else text) is None


def _edited(context: RefactoringContext, edits: Edits, first: int, last: int) -> str:
    lines = context.view(first, last)
    for edit in reversed(edits):
        lines[edit.first - first : edit.last + 1 - first] = [edit.text]
    return "".join(lines)


def _parses_inside(context: RefactoringContext, edits: Edits, first: int, last: int) -> bool:
    """Whether whole statements of one block are whole statements of it still: lines `first` to `last`, as they are indented."""
    text = _edited(context, edits, first, last)
    code = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    head = context.lines[first - 1]
    indent = head[: len(head) - len(head.lstrip())]
    alike = indent and code.startswith(indent) and not code[len(indent)].isspace() and text.endswith("\n")
    # The `else` tells whether a line stands further left than the block.
    return bool(alike) and error_line(f"if 1:\n{text}else: pass\n") is None


def _inner_block(context: RefactoringContext, first: int, last: int) -> tuple[int, int] | None:
    """The lines of the statements of the innermost block that lines `first` to `last` are in; None where these are not all."""
    found, inside = None, list(context.nodes)
    while True:
        touched = [n for n in inside if rows(n)[0] <= last and first <= rows(n)[1]]
        if not touched or any(n.type == "comment" for n in touched):
            return found
        begin, end = rows(touched[0])[0], rows(touched[-1])[1]
        if (
            begin <= first
            and last <= end
            and touched[0].parent is not None
            and touched[0].parent.type == "block"
        ):
            found = begin, end
        inside = [] if len(touched) > 1 else _statements_below(touched[0], first, last)


def _statements_below(node: Node, first: int, last: int) -> list[Node]:
    """The statements of the block of a statement that has all these lines."""
    for child in node.named_children:
        begin, end = rows(child)
        if begin <= first and last <= end:
            return child.named_children if child.type == "block" else _statements_below(child, first, last)
    return []


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
