"""Syntax trees of a document's lines, for the languages whose grammars are installed.

Trees come from tree-sitter, which parses broken code too: what cannot be parsed becomes an ERROR node. Rows
of a tree are the lines of the document (0-based), columns are bytes. It knows nothing of diagnostics or
scopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import tree_sitter_javascript
import tree_sitter_python
from tree_sitter import Language, Node, Parser, Tree

from copydesk.document import content, view_line

_GRAMMARS = {
    "python": tree_sitter_python.language,
    "javascript": tree_sitter_javascript.language,
    "javascriptreact": tree_sitter_javascript.language,
}


def has_grammar(language: str) -> bool:
    """Whether `parse` knows the language of that id."""
    return language in _GRAMMARS


def parse(lines: Sequence[str], language: str) -> Tree | None:
    """The syntax tree of `lines`, or None for a language without a grammar. Raises: never."""
    if not has_grammar(language):
        return None
    # Rows are counted at "\n" alone, hence the view text.
    return Parser(_language(language)).parse("".join(map(view_line, lines)).encode("utf-8", "replace"))


def point(lines: Sequence[str], line: int, character: int) -> tuple[int, int]:
    """A 0-based (line, code point) as the (row, byte column) of a tree, clamped to the document."""
    if line >= len(lines):
        return (len(lines), 0)
    return line, len(content(lines[line])[:character].encode("utf-8", "replace"))


def rows(node: Node) -> tuple[int, int]:
    """The 1-based inclusive lines of a node; an end at the start of a line does not take that line."""
    first, last = node.start_point[0], node.end_point[0]
    if node.end_point[1] == 0 and last > first:
        last -= 1
    return first + 1, last + 1


@cache
def _language(name: str) -> Language:
    return Language(_GRAMMARS[name]())
