"""Syntax trees of a document's lines, for the languages whose grammars are installed.

Trees come from tree-sitter, which parses broken code too: what cannot be parsed becomes an ERROR node. Rows of a tree are the
lines of the document (0-based), columns are bytes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import tree_sitter_javascript
import tree_sitter_python
from tree_sitter import Language, Node, Parser, Tree

from copydesk.text.document import Change, Position, content, view_line

_GRAMMARS = {
    "python": tree_sitter_python.language,
    "javascript": tree_sitter_javascript.language,
    "javascriptreact": tree_sitter_javascript.language,
}


def has_grammar(language: str) -> bool:
    """Whether `parse` supports the language with that id."""
    return language in _GRAMMARS


def parse(lines: Sequence[str], language: str) -> Tree | None:
    """The syntax tree of `lines`, or None for a language without a grammar. Raises: never."""
    return Parser(_language(language)).parse(_bytes(lines)) if has_grammar(language) else None


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree of `count` lines and `size` bytes, from which the next version is parsed only where it differs."""

    language: str
    tree: Tree
    count: int
    size: int

    @classmethod
    def of(cls, lines: Sequence[str], language: str) -> Parsed | None:
        """None for a language without a grammar."""
        if not has_grammar(language):
            return None
        text = _bytes(lines)
        return cls(language, Parser(_language(language)).parse(text), len(lines), len(text))

    @property
    def broken(self) -> bool:
        """Whether any part of it does not parse."""
        return self.tree.root_node.has_error

    def changed(self, lines: Sequence[str], head: int, tail: int) -> Parsed:
        """The tree of `lines`, whose first `head` and last `tail` lines are unchanged. This tree is not modified.

        Parsing takes time in proportion to what differs, and one pass in C over the bytes.
        """
        text = _bytes(lines)
        start, rest = len(_bytes(lines[:head])), len(_bytes(lines[len(lines) - tail :]))
        tree = self.tree.copy()
        stop, end = self.count - tail, len(lines) - tail
        tree.edit(start, self.size - rest, len(text) - rest, (head, 0), (stop, 0), (end, 0))
        return Parsed(
            self.language, Parser(_language(self.language)).parse(text, tree), len(lines), len(text)
        )

    def breaks(self, lines: Sequence[str], head: int, tail: int) -> bool:
        """Whether `lines`, whose first `head` and last `tail` lines are unchanged, do not parse, where this text does.

        What stands at top level round the change is parsed alone: where that parses, so does the rest, which is as it was.
        """
        shift = len(lines) - self.count
        found = self._round(head, self.count - tail)
        if found is not None and self.language == "python":
            first, last = found
            text = _bytes(lines[first : last + shift])
            if not Parser(_language(self.language)).parse(text).root_node.has_error:
                return False
        return self.changed(lines, head, tail).broken

    def _round(self, first: int, last: int) -> tuple[int, int] | None:
        """Rows (the last exclusive) of the top-level nodes that have a row from `first` to `last` (exclusive), and of one more on
        either side, rows shared with none else; None where there are no nodes.
        """
        root = self.tree.root_node
        count = root.child_count

        def child(number: int) -> Node:
            node = root.child(number)
            assert node is not None
            return node

        if not count:
            return None
        begin = max(0, bisect_left(range(count), first, key=lambda number: child(number).end_point[0]) - 1)
        end = min(
            count, bisect_right(range(count), last, key=lambda number: child(number).start_point[0]) + 1
        )
        while 0 < begin < count and child(begin - 1).end_point[0] >= child(begin).start_point[0]:
            begin -= 1
        while begin < end < count and child(end - 1).end_point[0] >= child(end).start_point[0]:
            end += 1
        return (
            child(begin).start_point[0] if 0 < begin < count else 0,
            child(end).start_point[0] if end < count else self.count,
        )


class LiveSyntax:
    """The syntax of a document that is being edited: parsed on demand, and then only where it changed."""

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = lines
        self._language = language
        self._parsed: Parsed | None = None
        self._count = self._head = self._tail = 0

    def note(self, change: Change) -> None:
        """The document, the same list of lines, has changed. O(1)."""
        self._head = min(self._head, change.first)
        self._tail = min(self._tail, self._count - change.old_end)
        self._count += change.new_count - (change.old_end - change.first)

    def parsed(self) -> Parsed | None:
        """The syntax of the present text; None for a language without a grammar."""
        lines = self._lines
        if self._parsed is None:
            self._parsed = Parsed.of(lines, self._language)
        elif self._head + self._tail < max(len(lines), self._parsed.count):
            self._parsed = self._parsed.changed(lines, self._head, self._tail)
        self._count = self._head = self._tail = len(lines)
        return self._parsed


def _bytes(lines: Sequence[str]) -> bytes:
    # Rows are counted at "\n" alone, hence the view text.
    return "".join(map(view_line, lines)).encode("utf-8", "replace")


def point(lines: Sequence[str], line: int, character: int) -> tuple[int, int]:
    """A 0-based (line, code point) as the (row, byte column) of a tree, clamped to the document."""
    if line >= len(lines):
        return (len(lines), 0)
    return line, len(content(lines[line])[:character].encode("utf-8", "replace"))


def node_at(tree: Tree, lines: Sequence[str], place: Position) -> Node | None:
    """The smallest node at a place in the document; a place in the indentation of a line means the code after it. None after
    the last line.
    """
    if place.line >= len(lines):
        return None
    text = content(lines[place.line])
    at = point(lines, place.line, max(place.character, len(text) - len(text.lstrip())))
    return tree.root_node.descendant_for_point_range(at, at)


def text_of(node: Node) -> str:
    """The source of a node; invalid UTF-8 is replaced."""
    return (node.text or b"").decode("utf-8", "replace")


def identifiers(node: Node) -> Iterator[Node]:
    """The identifiers below a node, in order."""
    for child in node.named_children:
        if child.type == "identifier":
            yield child
        else:
            yield from identifiers(child)


def is_label(identifier: Node) -> bool:
    """Whether it names an attribute or a keyword of a call in Python, not a variable."""
    parent = identifier.parent
    if parent is None:
        return False
    if parent.type == "attribute":
        return parent.child_by_field_name("attribute") == identifier
    return parent.type == "keyword_argument" and parent.child_by_field_name("name") == identifier


def rows(node: Node) -> tuple[int, int]:
    """The 1-based inclusive lines of a node; an end at the start of a line does not take that line."""
    first, last = node.start_point[0], node.end_point[0]
    if node.end_point[1] == 0 and last > first:
        last -= 1
    return first + 1, last + 1


@cache
def _language(name: str) -> Language:
    return Language(_GRAMMARS[name]())
