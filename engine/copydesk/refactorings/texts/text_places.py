"""Texts that people read in the selection: comments, docstrings, strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_span
from copydesk.syntax.splice import Point, end_of, start_of
from copydesk.syntax.tree import text_of


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A text of one line without its quotes or its `#`. start: where it begins, in bytes. part: whether it is one of several
    lines of a string.
    """

    start: Point
    end: Point
    text: str
    comment: bool
    part: bool = False

    def replaced(self, context: RefactoringContext, start: int, end: int, text: str) -> Edits | None:
        """`text` in place of the characters `start` to `end` of this one."""
        row, column = self.start
        begin = column + len(self.text[:start].encode())
        stop = column + len(self.text[:end].encode())
        return replace_span(context.lines, (row, begin), (row, stop), text)


def text_places(context: RefactoringContext) -> Iterator[TextPlace]:
    """The texts of more than a word's length, in order."""
    for node in context.walk("comment", "string"):
        if node.start_point[0] == node.end_point[0]:
            place = _comment(node) if node.type == "comment" else _string(node)
            if place is not None and len(place.text) > 2:
                yield place
        else:
            yield from _lines_of(context, node)


def _lines_of(context: RefactoringContext, string: Node) -> Iterator[TextPlace]:
    (first, column), (last, end) = start_of(string), end_of(string)
    for row in range(first, last + 1):
        (line,) = context.view(row + 1, row + 1)
        raw = line.rstrip("\n").encode()
        begin, stop = column if row == first else 0, end if row == last else len(raw)
        text = raw[begin:stop].decode()
        yield TextPlace((row, begin), (row, stop), text, comment=False, part=True)


def _comment(node: Node) -> TextPlace:
    text = text_of(node).lstrip("#: ")
    row, end = end_of(node)
    return TextPlace((row, end - len(text.encode())), (row, end), text, comment=True)


def _string(node: Node) -> TextPlace | None:
    found = re.fullmatch(r"([rRbBuUfF]*(\"{3}|'{3}|[\"']))(.*)\2", text_of(node), re.DOTALL)
    if found is None:
        return None
    row, start = start_of(node)
    start += len(found[1].encode())
    return TextPlace((row, start), (row, start + len(found[3].encode())), found[3], comment=False)
