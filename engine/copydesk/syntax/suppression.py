"""`try`, `except` and `pass` as `contextlib.suppress`, with the comments that stand in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from copydesk.syntax.tree import rows, text_of
from copydesk.text.document import content, indentation, view_line
from copydesk.text.line_edit import LineEdit

WIDTH = 88
"""Characters of a line that a comment may end."""
_TO_A_TOOL = re.compile(
    r"#\s*(?:pragma|type|noqa|fmt|yapf|isort|pylint|pyright|mypy|ruff|nosec|nosemgrep|codespell)\b"
)


def suppressing(node: Node, name: str, lines: Sequence[str], *, drops: bool = False) -> LineEdit | None:
    """A `try_statement` with `name` (`contextlib.suppress`); None for one that does more, or is laid out otherwise. Comments in
    lines of their own stand above it, and a single one behind code stands behind it, where there is room.

    drops: comments that speak to a tool (`# pragma: no cover`) go; else there is no edit, for they count where they stand.
    """
    body = node.child_by_field_name("body")
    clauses = [child for child in node.named_children if child.type.endswith("_clause")]
    if node.has_error or body is None or [clause.type for clause in clauses] != ["except_clause"]:
        return None
    caught, handler = clauses[0].child_by_field_name("value"), clauses[0].named_children[-1]
    passes = [child.type for child in handler.named_children if child.type != "comment"] == ["pass_statement"]
    if caught is None or caught.type == "as_pattern" or handler.type != "block" or not passes:
        return None
    (first, last), end = rows(node), rows(body)[1]
    written, own, behind = list[str](), list[str](), list[str]()
    for line in [lines[first - 1], *lines[end:last]]:
        code, sign, said = content(line).partition("#")
        comment = f"#{said}".strip()
        if code.strip():
            written.append(code.strip())
        if sign and _TO_A_TOOL.match(comment) is None:
            (behind if code.strip() else own).append(comment)
        elif sign and not drops:
            return None
    if written != ["try:", f"except {text_of(caught)}:", "pass"]:
        return None
    indent, kinds = indentation(content(lines[first - 1])), text_of(caught)
    opening = f"{indent}with {name}({kinds[1:-1].strip(' ,') if caught.type == 'tuple' else kinds}):"
    if len(behind) == 1 and len(opening) + 2 + len(behind[0]) <= WIDTH:
        opening = f"{opening}  {behind.pop()}"
    comments = [f"{indent}{comment}\n" for comment in (*behind, *own)]
    return LineEdit(first, last, "".join([*comments, f"{opening}\n", *map(view_line, lines[first:end])]))
