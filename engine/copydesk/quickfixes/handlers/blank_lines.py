r"""What becomes of blank lines that a diagnostic counts, and of the end of the file: E301 to E306, W292, W391.

How many blank lines there must be is said by the rule or by its message; "too many" leaves a choice. Knows Python's layout
rules and text; nothing of tokens, pages or models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node, Tree

from copydesk.request import Diagnostic
from copydesk.syntax.tree import point
from copydesk.text.document import content, terminator
from copydesk.text.line_edit import LineEdit

_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
_WANTED = {"E301": 1, "E302": 2, "E304": 0, "E305": 2, "E306": 1}
_EXPECTED = re.compile(r"^(?:E30\d )?expected (\d) blank lines?\b", re.IGNORECASE)
_TOO_MANY = re.compile(r"^(?:E303 )?too many blank lines", re.IGNORECASE)
_FOUND = re.compile(r"found \(?(\d+)\)?$|\((\d+)\)$")
_NO_NEWLINE = re.compile(r"no newline at end of file|^final newline missing", re.IGNORECASE)
_NEWLINES = re.compile(
    r"too many newlines at end of file|blank line at end of file|^trailing newlines", re.IGNORECASE
)
_NO_NEWLINE_CODES = frozenset({"W292", "C0304", "missing-final-newline"})
_NEWLINE_CODES = frozenset({"W391", "C0305", "trailing-newlines"})


def gap_edits(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree | None) -> list[LineEdit]:
    """The ways to as many blank lines as the diagnostic wants; empty where it is about something else. Raises: never."""
    code, message = diagnostic.code, diagnostic.message
    if not lines:
        return []
    if code in _NO_NEWLINE_CODES or _NO_NEWLINE.search(message):
        return _terminated(lines)
    if code in _NEWLINE_CODES or _NEWLINES.search(message):
        return _end_stripped(lines)
    expected = _EXPECTED.search(message)
    many = code == "E303" or (code is None and _TOO_MANY.search(message) is not None)
    if not many and code not in _WANTED and expected is None:
        return []
    return _gap(diagnostic, lines, tree, None if many else expected)


def _terminated(lines: Sequence[str]) -> list[LineEdit]:
    last = lines[-1]
    # A last line of blanks alone may as well go: that is left to the model.
    return [] if terminator(last) or not last.strip() else [LineEdit(len(lines), len(lines), last + "\n")]


def _end_stripped(lines: Sequence[str]) -> list[LineEdit]:
    first = _run(lines, len(lines))
    return [LineEdit(first, len(lines), "")] if 1 < first <= len(lines) else []


def _run(lines: Sequence[str], last: int) -> int:
    """The first of the blank lines that end with line `last`; `last + 1` where it is none."""
    while last > 0 and not lines[last - 1].strip():
        last -= 1
    return last + 1


def _gap(
    diagnostic: Diagnostic, lines: Sequence[str], tree: Tree | None, expected: re.Match[str] | None
) -> list[LineEdit]:
    line = diagnostic.start.line + 1
    if tree is None or not 1 < line <= len(lines) or not lines[line - 1].strip():
        return []
    first = _run(lines, line - 1)
    there = line - first
    told = _FOUND.search(diagnostic.message)
    # Tools count blank lines above comments, too: what they have counted elsewhere is not mended here.
    if first == 1 or (told is not None and there != int(told.group(1) or told.group(2))):
        return []
    text = content(lines[line - 1])
    node = _statement(tree, lines, line, len(text) - len(text.lstrip()))
    if node is None:
        return []
    counts: Iterable[int]
    if diagnostic.code in _WANTED or expected is not None:
        wanted = int(expected.group(1)) if expected is not None else _WANTED[diagnostic.code or ""]
        counts = [wanted]
        if wanted > there and lines[first - 2].lstrip().startswith("#"):
            return []  # whether they belong above the comment nobody has said
    else:
        counts = [count for count in _allowed(lines, node, first, line) if count < there]
    return [_of(lines, first, line, count) for count in counts if count != there]


def _of(lines: Sequence[str], first: int, line: int, count: int) -> LineEdit:
    """`count` blank lines where those from `first` up to `line` are: the first ones stay as they are."""
    kept = [content(text) for text in lines[first - 1 : min(line - 1, first - 1 + count)]]
    kept += [""] * (count - len(kept))
    return LineEdit(first, line - 1, "".join(f"{text}\n" for text in kept))


def _statement(tree: Tree, lines: Sequence[str], line: int, column: int) -> Node | None:
    """The outermost node that begins with the line's code; None inside a string, or where the tree knows no better."""
    at = point(lines, line - 1, column)
    node = tree.root_node.descendant_for_point_range(at, at)
    found = node
    while node is not None and node.parent is not None:
        if node.start_point == at and node.type != "block":
            found = node
        if node.type == "ERROR" or (node.type == "string" and node.start_point != at):
            return None
        node = node.parent
    return found


def _allowed(lines: Sequence[str], node: Node, first: int, line: int) -> range:
    """How many blank lines "too many" leaves above a statement or comment."""
    above = content(lines[first - 2])
    top = node.start_point[1] == 0
    most = 2 if top else 1
    own = node
    while own.type == "comment" and own.next_sibling is not None and own.next_sibling.start_point[0] == line:
        own, line = own.next_sibling, line + 1
    before = own.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    free = above.lstrip().startswith("#") or before is None or (not top and above.rstrip().endswith(":"))
    if not free and (
        own.type in _DEFINITIONS or (top and before is not None and before.type in _DEFINITIONS)
    ):
        return range(most, most + 1)
    return range(most + 1)
