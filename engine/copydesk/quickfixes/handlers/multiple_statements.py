"""Several statements on one line (E701, E702, E704, C0321): each on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.text.document import content, indentation
from copydesk.text.line_edit import LineEdit


class _Cut(NamedTuple):
    """Where a line ends and the next one begins, in bytes of the old one. row: where the statement begins that it is cut from, or
    behind; the next line has its indentation, or one more step. row is -1 where the block begins on a line above.
    """

    end: int
    begin: int
    row: int
    deeper: bool


class MultipleStatements(Handler):
    """The flagged line with a line for every statement, and for what stands before a colon. A comment stays with the last."""

    kinds = frozenset({DiagnosticKind.MULTIPLE_STATEMENTS_ON_ONE_LINE})

    def candidates(self, context: FixContext) -> Candidates | None:
        number = context.diagnostic.start.line + 1
        text = _split(context, number) if context.in_scope(number, number) else None
        return candidates_of(parsing(context, [(LineEdit(number, number, text),)])) if text else None

    def still_applies(self, context: FixContext) -> bool:
        return context.tree is None or _cuts(context.tree.root_node, context.diagnostic.start.line) != []


def _split(context: FixContext, number: int) -> str | None:
    """What becomes of a line; None where it has one statement, or part of a block that begins on a line above."""
    cuts = _cuts(context.tree.root_node, number - 1) if context.tree is not None else []
    if not cuts:
        return None
    try:
        line = content(context.lines[number - 1]).encode()
    except UnicodeEncodeError:
        return None  # a tree's columns are bytes, which such a line has not
    indent = indentation(context.lines[cuts[0].row])
    deeper = indent + context.indent_step()
    pieces, begin, at = [], 0, ""
    for cut in cuts:
        pieces.append(at + line[begin : cut.end].decode().rstrip())
        begin, at = cut.begin, deeper if cut.deeper else at or indent
    pieces.append(at + line[begin:].decode())  # which may end within a text
    return "".join(f"{piece}\n" for piece in pieces)


def _cuts(root: Node, row: int) -> list[_Cut]:
    """Where a line (0-based) is to be cut, from left to right; none where that cannot be told from it alone."""
    found = sorted(_all_cuts(root, row))
    return [] if any(cut.row < 0 for cut in found) else found


def _all_cuts(root: Node, row: int) -> Iterator[_Cut]:
    for node in _on_row(root, row):
        behind = node.next_sibling
        if behind is None or node.end_point.row != row or behind.start_point.row != row:
            continue
        if node.type == ":" and behind.type == "block":
            assert node.parent is not None
            yield _Cut(node.end_point.column, behind.start_point.column, node.parent.start_point.row, True)
        elif node.type == ";" and behind.type != "comment":
            block, first = node.parent, node.prev_sibling
            assert block is not None
            assert first is not None
            colon = block.prev_sibling
            inline = colon is not None and colon.end_point.row == block.start_point.row
            at = -1 if inline and block.start_point.row != row else first.start_point.row
            yield _Cut(node.start_point.column, behind.start_point.column, at, False)


def _on_row(node: Node, row: int) -> Iterator[Node]:
    for child in node.children:
        if child.start_point.row <= row <= child.end_point.row:
            yield child
            yield from _on_row(child, row)
