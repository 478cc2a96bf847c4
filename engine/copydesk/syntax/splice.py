"""Texts put into lines at nodes of a syntax tree, by rows and byte columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.text.document import view_line
from copydesk.text.line_edit import LineEdit

Point = tuple[int, int]
"""A row and a column in UTF-8 bytes, both 0-based, as tree-sitter counts."""


@dataclass(frozen=True, slots=True)
class Splice:
    """`text`, without line breaks, in place of what is between `start` and `end`, which are in one row."""

    start: Point
    end: Point
    text: str


def start_of(node: Node) -> Point:
    """Where a node begins."""
    return node.start_point[0], node.start_point[1]


def end_of(node: Node) -> Point:
    """Where it ends."""
    return node.end_point[0], node.end_point[1]


def spliced(lines: Sequence[str], splices: Iterable[Splice]) -> tuple[LineEdit, ...]:
    """The changed lines, from the top down; none where a line cannot be encoded as UTF-8. Splices must not overlap."""
    rows: dict[int, list[Splice]] = {}
    for splice in splices:
        rows.setdefault(splice.start[0], []).append(splice)
    made = []
    for row, those in sorted(rows.items()):
        try:
            raw = view_line(lines[row]).encode()
        except UnicodeEncodeError:
            return ()
        for splice in sorted(those, key=lambda splice: splice.start, reverse=True):
            raw = raw[: splice.start[1]] + splice.text.encode() + raw[splice.end[1] :]
        made.append(LineEdit(row + 1, row + 1, raw.decode()))
    return tuple(made)
