"""Statements that share a line, and a block on the line of its head: each statement on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from copydesk.text.document import content, indentation


class StatementEnd(NamedTuple):
    """Where a line ends and the next one begins, in bytes of the old one. row: where the statement begins that it is cut from, or
    behind; the next line has its indentation, or one more step. row is -1 where the block begins on a line above.
    """

    end: int
    begin: int
    row: int
    deeper: bool


def one_statement_per_line(root: Node, lines: Sequence[str], number: int, step: str) -> str | None:
    """What becomes of line `number` (1-based) of a document; None where it has one statement, or part of a block that begins on a
    line above. step: of indentation.
    """
    cuts = statement_ends(root, number - 1)
    if not cuts:
        return None
    try:
        line = content(lines[number - 1]).encode()
    except UnicodeEncodeError:
        return None  # a tree's columns are bytes, which such a line has not
    indent = indentation(lines[cuts[0].row])
    deeper = indent + step
    pieces, begin, at = [], 0, ""
    for cut in cuts:
        pieces.append(at + line[begin : cut.end].decode().rstrip())
        begin, at = cut.begin, deeper if cut.deeper else at or indent
    pieces.append(at + line[begin:].decode())  # which may end within a text
    return "".join(f"{piece}\n" for piece in pieces)


def statement_ends(root: Node, row: int) -> list[StatementEnd]:
    """Where a line (0-based) is to be cut, from left to right; none where that cannot be told from it alone."""
    found = sorted(_all_ends(root, row))
    return [] if any(cut.row < 0 for cut in found) else found


def _all_ends(root: Node, row: int) -> Iterator[StatementEnd]:
    for node in _on_row(root, row):
        behind = node.next_sibling
        if behind is None or node.end_point.row != row or behind.start_point.row != row:
            continue
        if node.type == ":" and behind.type == "block":
            assert node.parent is not None
            yield StatementEnd(
                node.end_point.column, behind.start_point.column, node.parent.start_point.row, True
            )
        elif node.type == ";" and behind.type != "comment":
            block, first = node.parent, node.prev_sibling
            assert block is not None
            assert first is not None
            colon = block.prev_sibling
            inline = colon is not None and colon.end_point.row == block.start_point.row
            at = -1 if inline and block.start_point.row != row else first.start_point.row
            yield StatementEnd(node.start_point.column, behind.start_point.column, at, False)


def _on_row(node: Node, row: int) -> Iterator[Node]:
    for child in node.children:
        if child.start_point.row <= row <= child.end_point.row:
            yield child
            yield from _on_row(child, row)
