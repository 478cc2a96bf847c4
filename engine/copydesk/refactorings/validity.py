"""Whether what an edit leaves can be parsed: by Python's own parser, and only what the edit changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.blocks import BLOCKS
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.syntax.fragment import error_line
from copydesk.syntax.tree import rows
from copydesk.text.document import indentation
from copydesk.text.line_edit import LineEdit

_HEADED = (
    "if_statement", "elif_clause", "while_statement", "for_statement", "with_statement", "except_clause", "function_definition",
    "class_definition",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines `first` to `last` that can be parsed by themselves, between two texts: a simple statement, or the head of a block."""

    first: int
    last: int
    before: str = ""
    behind: str = ""


def still_parses(context: RefactoringContext, edits: Edits) -> bool:
    """Whether the statements round the edits parse once these are made."""
    touched = _touched_pieces(context, edits)
    if touched is not None and all(
        _parses(context, piece, [edit for edit in edits if piece.first <= edit.first <= piece.last])
        for piece in touched
    ):
        return True
    # What changes may go on with the statement above it.
    first = max(1, min(edit.first for edit in edits) - 1)
    last = min(max(max(edit.first, edit.last) for edit in edits), len(context.lines))
    inner = _inner_block(context, first, last)
    if inner is not None and _parses_inside(context, edits, *inner):
        return True
    first, last = _statements(context, first, last)
    return _parses(context, _Piece(first, last), edits)


def edited(context: RefactoringContext, edits: Sequence[LineEdit], first: int, last: int) -> str:
    """Lines `first` to `last` (1-based, inclusive) after edits of them."""
    lines = context.view(first, last)
    for edit in reversed(edits):
        lines[edit.first - first : edit.last + 1 - first] = [edit.text]
    return "".join(lines)


def _parses_inside(context: RefactoringContext, edits: Edits, first: int, last: int) -> bool:
    """Whether whole statements of one block are whole statements of it still: lines `first` to `last`, as they are indented."""
    text = edited(context, edits, first, last)
    code = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    indent = indentation(context.lines[first - 1])
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


def _parses(context: RefactoringContext, piece: _Piece, edits: Sequence[LineEdit]) -> bool:
    text = piece.before + edited(context, edits, piece.first, piece.last) + piece.behind
    code = next((line for line in text.split("\n") if line.strip()), "")
    return error_line(f"if 1:\n{text}" if code[:1].isspace() else text) is None


def _touched_pieces(context: RefactoringContext, edits: Edits) -> list[_Piece] | None:
    """The pieces that edits change, where each line of these is replaced by one, with the indentation it had; else None."""
    pieces = context.derived(_pieces)
    found: dict[_Piece, None] = {}
    for edit in edits:
        piece = pieces.get(edit.first)
        if piece is None or edit.first != edit.last or edit.text.count("\n") != 1:
            return None
        old = context.lines[edit.first - 1]
        if indentation(old) != indentation(edit.text):
            return None
        found[piece] = None
    return list(found)


def _pieces(context: RefactoringContext) -> dict[int, _Piece]:
    """The piece that each line is in; no line that two statements share."""
    found: dict[int, _Piece] = {}
    shared: set[int] = set()
    for node in context.overlapping():
        piece = _piece(context, node)
        for row in range(piece.first, piece.last + 1) if piece is not None else ():
            if row in found:
                shared.add(row)
            elif piece is not None:
                found[row] = piece
    return {row: piece for row, piece in found.items() if row not in shared}


def _piece(context: RefactoringContext, node: Node) -> _Piece | None:
    first, last = rows(node)
    body = next((child for child in node.named_children if child.type == "block"), None)
    if node.type in _HEADED and body is not None and context.starts_line(node):
        if body.start_point[0] + 1 <= first:
            return None
        head = context.lines[first - 1]
        behind = f"{indentation(head)} pass\n"
        if node.type == "except_clause":
            return _Piece(first, body.start_point[0], f"{indentation(head)}try: pass\n", behind)
        if node.type == "elif_clause":
            return _Piece(first, body.start_point[0], f"{indentation(head)}if 1: pass\n", behind)
        return _Piece(first, body.start_point[0], "", behind)
    simple = node.parent is not None and node.parent.type in BLOCKS and node.type.endswith("_statement")
    nested = any(child.type in ("block", "elif_clause", "else_clause") for child in node.named_children)
    return _Piece(first, last) if simple and not nested else None


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
