"""The edits that refactorings are made of: text in place of a node, between nodes, or in place of whole lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from tree_sitter import Node

from copydesk.syntax.splice import Point, Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of
from copydesk.text.document import view_line
from copydesk.text.line_edit import LineEdit

Edits: TypeAlias = tuple[LineEdit, ...]
"""Lines apart, from the top down. No edits: what is wanted is there already."""


def insert_at(lines: Sequence[str], at: Point, text: str) -> Edits | None:
    """`text` at a place inside a line."""
    return spliced(lines, [Splice(at, at, text)]) or None


def replace_node(lines: Sequence[str], node: Node, text: str) -> Edits | None:
    """`text` in place of a node of one line; no edits where that is its text."""
    return () if text_of(node) == text else replace_nodes(lines, [(node, text)])


def replace_nodes(lines: Sequence[str], replacements: Iterable[tuple[Node, str]]) -> Edits | None:
    """Texts in place of nodes apart from each other; None where one of these goes over several lines."""
    replacements = list(replacements)
    if any(node.start_point[0] != node.end_point[0] for node, _ in replacements):
        return None
    return spliced(lines, [Splice(start_of(node), end_of(node), text) for node, text in replacements]) or None


def rewrite_node(lines: Sequence[str], node: Node, text: str) -> Edits:
    """`text` in place of a node of any number of lines. Raises UnicodeEncodeError."""
    (first, start), (last, end) = start_of(node), end_of(node)
    before, behind = view_line(lines[first]).encode()[:start], view_line(lines[last]).encode()[end:]
    return (LineEdit(first + 1, last + 1, before.decode() + text + behind.decode()),)


def replace_span(lines: Sequence[str], start: Point, end: Point, text: str) -> Edits | None:
    """`text` in place of what is from `start` to `end` in one line."""
    return spliced(lines, [Splice(start, end, text)]) or None if start[0] == end[0] else None


def replace_lines(first: int, last: int, lines: Iterable[str]) -> Edits:
    r"""Other lines, each with its terminator, in place of lines `first` to `last` (1-based, inclusive)."""
    return (LineEdit(first, last, "".join(lines)),)


def insert_lines(before: int, lines: Iterable[str]) -> Edits:
    """Lines, each with its terminator, before line `before` (1-based)."""
    return (LineEdit(before, before - 1, "".join(lines)),)


def delete_lines(first: int, last: int) -> Edits:
    """Without lines `first` to `last` (1-based, inclusive)."""
    return (LineEdit(first, last, ""),)


def merged(*parts: Edits | None) -> Edits | None:
    """Several edits as one, from the top down; None where one of them cannot be made, or two meet."""
    found: list[LineEdit] = []
    for part in parts:
        if part is None:
            return None
        found += part
    found.sort(key=lambda edit: (edit.first, edit.last))
    apart = all(a.last < b.first for a, b in pairwise(found))
    return tuple(found) if apart else None


def combined(lines: Sequence[str], parts: Iterable[Edits]) -> Edits | None:
    """Several edits as one, those of one line at different places of it; None where two meet."""
    found: dict[tuple[int, int], list[tuple[int, int, str]]] = {}
    for edit in (edit for part in parts for edit in part):
        old = "".join(view_line(line) for line in lines[edit.first - 1 : edit.last])
        found.setdefault((edit.first, edit.last), []).append(_span(old, edit.text))
    made: list[LineEdit] = []
    for (first, last), spans in sorted(found.items()):
        if made and first <= max(made[-1].first, made[-1].last):
            return None
        text = "".join(view_line(line) for line in lines[first - 1 : last])
        spans.sort()
        if any(a[1] >= b[0] for a, b in pairwise(spans)):
            return None
        for start, stop, new in reversed(spans):
            text = text[:start] + new + text[stop:]
        made.append(LineEdit(first, last, text))
    return tuple(made)


def _span(old: str, new: str) -> tuple[int, int, str]:
    """What differs: from where to where in the old text, and what is there in the new one."""
    most = min(len(old), len(new))
    start = next((k for k in range(most) if old[k] != new[k]), most)
    end = next((k for k in range(most - start) if old[-1 - k] != new[-1 - k]), most - start)
    return start, len(old) - end, new[start : len(new) - end]
