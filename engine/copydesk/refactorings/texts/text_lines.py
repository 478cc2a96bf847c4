"""The lines of comments, docstrings and other strings, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines
from copydesk.request import Range
from copydesk.syntax.tree import rows

STRING = re.compile(r"([rRbBuUfF]*)(\"{3}|'{3}|\"|')(.*)\2", re.DOTALL)
"""The prefix, the quotes and the content of a string."""


_FORMATTED = re.compile(r"\s*[rR]?[fF][rR]?[\"']")
_FIELD = re.compile(r"\{[^{}]*\}")
_HIDDEN = 0xE000
"""A character for private use: the first field's, where fields are hidden."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """What of a line is text: the characters `start` to `end` of line `number` (1-based)."""

    number: int
    start: int
    end: int
    line: str
    comment: bool

    @property
    def text(self) -> str:
        """The text, with the quotes or the `#` that stand in this line."""
        return self.line[self.start : self.end]


def text_lines(context: RefactoringContext) -> list[TextLine]:
    """All of the selection, in order, also where a text goes on beyond it. Raises UnicodeEncodeError."""
    found: list[TextLine] = []
    for node in context.overlapping():
        first, last = rows(node)
        for number in range(first, last + 1) if node.type in ("comment", "string") else ():
            if not context.shows(number, number):
                continue
            (line,) = context.view(number, number)
            raw = line.rstrip("\n").encode()
            start = node.start_point[1] if number == first else 0
            end = node.end_point[1] if number == node.end_point[0] + 1 else len(raw)
            begin, stop = len(raw[:start].decode(errors="replace")), len(raw[:end].decode(errors="replace"))
            found.append(TextLine(number, begin, stop, line, node.type == "comment"))
    return found


_KINDS = (
    (frozenset({"comment", "comments"}), "comment"),
    (frozenset({"docstring", "docstrings", "docs", "summary"}), "docstring"),
    (frozenset({"message", "messages", "warning"}), "message"),
)
"""Words for kinds of texts."""


def texts_meant(context: RefactoringContext, words: Set[str]) -> list[TextLine]:
    """The lines of the kinds of text that an instruction names, if it names some that the selection has; or else all of them."""
    kinds = {kind for said, kind in _KINDS if said & words}
    lines = text_lines(context)
    if not kinds:
        return lines
    documenting = {
        n for s in context.walk("string") if is_docstring(s) for n in range(rows(s)[0], rows(s)[1] + 1)
    }

    def kind_of(line: TextLine) -> str:
        return "comment" if line.comment else "docstring" if line.number in documenting else "message"

    return [line for line in lines if kind_of(line) in kinds] or lines


def without_fields(text: str) -> tuple[str, list[str]]:
    """A text in its quotes with one character for each field of an f-string (`{value!r}`), and these fields."""
    fields = _FIELD.findall(text) if _FORMATTED.match(text) else []
    for number, field in enumerate(fields):
        text = text.replace(field, chr(_HIDDEN + number), 1)
    return text, fields


def with_fields(text: str, fields: Iterable[str]) -> str:
    """The text with its fields again."""
    for number, field in enumerate(fields):
        text = text.replace(chr(_HIDDEN + number), field)
    return text


def quotes_of(text: str) -> tuple[str, str]:
    """The quotes round a text, and it with them, without its prefix."""
    bare = text.lstrip("rRbBuUfF")
    for quotes in ('"""', "'''", '"', "'"):
        if bare.startswith(quotes) and bare.endswith(quotes) and len(bare) >= 2 * len(quotes):
            return quotes, bare
    return "", text


def with_texts(changed: Iterable[tuple[TextLine, str]]) -> Edits | None:
    """Other texts for some; None where two are in one line."""
    parts = [
        replace_lines(
            place.number, place.number, [place.line[: place.start] + text + place.line[place.end :]]
        )
        for place, text in changed
    ]
    return merged(*parts) if parts else None


def is_docstring(node: Node) -> bool:
    """Whether a string is a statement, and the first one of its block."""
    statement = node.parent
    return statement is not None and is_text(statement) and statements_of(statement.parent)[:1] == [statement]


def runs_of_comments(context: RefactoringContext) -> list[Range]:
    """Lines one below the other, each a comment and nothing else. Raises UnicodeEncodeError."""
    found: list[Range] = []
    for node in context.walk("comment"):
        line = node.start_point[0] + 1
        if context.starts_line(node):
            if found and found[-1][1] == line - 1:
                found[-1] = found[-1][0], line
            else:
                found.append((line, line))
    return found
