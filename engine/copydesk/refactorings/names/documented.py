"""Where a name is spoken of as one in docstrings and comments: what a rename takes along, so that they stay true."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import TextLine, is_docstring
from copydesk.syntax.splice import Splice
from copydesk.syntax.tree import text_of

_NO_WORD = re.compile(r"[^\W_]_+[^\W_]|\d|[a-z][A-Z]")
"""In names that are no words of English, and always mean the name."""
_MARKED = (
    r"(?<=[`*]){0}(?=[`*])|(?<=:param ){0}(?=:)|(?<=:type ){0}(?=:)|(?<=:arg ){0}(?=:)|(?<=@param ){0}\b"
    r"|(?<=:param \w\w\w ){0}(?=:)|^\s+{0}(?= ?:(?:\s|$)| \([^()]*\):)"
)
"""A name in backticks or stars, that of a field, and that of an entry of the parameters."""


def documented(context: RefactoringContext, nodes: Sequence[Node], new: str) -> list[Splice]:
    """What puts a new name where the selected docstrings and comments of the function name the variable `nodes`."""
    old = text_of(nodes[0])
    owner = function_of(nodes[0])
    spelt = re.escape(old)
    pattern = rf"(?<![\w.]){spelt}(?![\w(])" if _NO_WORD.search(old) else _MARKED.format(spelt)
    word = re.compile(pattern)
    found: list[Splice] = []
    for place in _texts(context, owner):
        for match in word.finditer(place.text):
            at = match.start() + match[0].rfind(old)
            start = len(place.line[: place.start + at].encode())
            row = place.number - 1
            found.append(Splice((row, start), (row, start + len(old.encode())), new))
    return found


def _texts(context: RefactoringContext, owner: Node | None) -> Iterator[TextLine]:
    """The lines of docstrings and comments, those of a function if one is given."""
    for node in context.walk("comment", "string"):
        inside = owner is None or owner.start_byte <= node.start_byte < owner.end_byte
        if inside and (node.type == "comment" or is_docstring(node)):
            first, last = node.start_point[0], node.end_point[0]
            for row in range(first, last + 1):
                (line,) = context.view(row + 1, row + 1)
                raw = line.rstrip("\n").encode()
                start = len(raw[: node.start_point[1]].decode(errors="replace")) if row == first else 0
                end = node.end_point[1] if row == last else len(raw)
                stop = len(raw[:end].decode(errors="replace"))
                yield TextLine(row + 1, start, stop, line, node.type == "comment")
