"""`try`, `except` and `pass` with comments, which ruff cannot place (SIM105): `contextlib.suppress`, and they stand with it.

A comment that speaks to a tool (`# pragma: no cover`) counts where it stands: with one of those nothing is offered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.handlers.missing_import import importable
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.tree import node_at, rows, text_of
from copydesk.text.document import content, indentation, view_line
from copydesk.text.line_edit import LineEdit

WIDTH = 88
"""Characters of a line that a comment may end."""
_TO_A_TOOL = re.compile(
    r"#\s*(?:pragma|type|noqa|fmt|yapf|isort|pylint|pyright|mypy|ruff|nosec|nosemgrep|codespell)\b"
)
_IMPORTED = re.compile(r"^import contextlib\s*(?:$|#)", re.MULTILINE)
_SUPPRESS = re.compile(r"^from contextlib import (?:[\w, ]+, )?suppress\b(?! as)", re.MULTILINE)


class SuppressedError(Handler):
    """The statements in `with contextlib.suppress(…)`, and the import where it is missing."""

    kinds = frozenset({DiagnosticKind.STANDARD_LIBRARY_ALTERNATIVE})

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None or "`contextlib.suppress(" not in context.diagnostic.message:
            return None
        node = node_at(context.tree, context.lines, context.diagnostic.start)
        while node is not None and node.type != "try_statement":
            node = node.parent
        if node is None or node.has_error:
            return None
        text = "".join(context.lines)
        name, imports = "contextlib.suppress", tuple[LineEdit, ...]()
        if _SUPPRESS.search(text) is not None:
            name = "suppress"
        elif _IMPORTED.search(text) is None:
            imports = _import(context)
            if not imports:
                return None
        edit = _suppressing(node, name, context.lines)
        return candidates_of(parsing(context, [(*imports, edit)])) if edit is not None else None


def _import(context: FixContext) -> tuple[LineEdit, ...]:
    """`import contextlib`, above the statement; none where that is out of reach."""
    first = import_point(context.lines, "python")
    block = import_block(context.lines, "python", context.header_lines or None) or (first, first - 1)
    found = importable("contextlib", context.lines, block) if context.in_scope(*block) else None
    above = found is not None and found.edits[0].last < context.diagnostic.start.line + 1
    return found.edits[:1] if found is not None and above else ()


def _suppressing(node: Node, name: str, lines: Sequence[str]) -> LineEdit | None:
    """None for a `try` that does more, or is laid out otherwise."""
    body = node.child_by_field_name("body")
    clauses = [child for child in node.named_children if child.type.endswith("_clause")]
    if body is None or [clause.type for clause in clauses] != ["except_clause"]:
        return None
    caught, handler = clauses[0].child_by_field_name("value"), clauses[0].named_children[-1]
    passes = [child.type for child in handler.named_children if child.type != "comment"] == ["pass_statement"]
    if caught is None or caught.type == "as_pattern" or handler.type != "block" or not passes:
        return None
    (first, last), end = rows(node), rows(body)[1]
    kept = [lines[first - 1], *lines[end:last]]
    comments = [content(line)[content(line).index("#") :].strip() for line in kept if "#" in line]
    written = [content(line).split("#")[0].strip() for line in kept]
    layout = ["try:", f"except {text_of(caught)}:", "pass"]
    if [line for line in written if line] != layout:
        return None
    if any(_TO_A_TOOL.match(comment) for comment in comments):
        return None
    indent, kinds = indentation(content(lines[first - 1])), text_of(caught)
    opening = f"{indent}with {name}({kinds[1:-1].strip(' ,') if caught.type == 'tuple' else kinds}):"
    if len(comments) == 1 and len(opening) + 2 + len(comments[0]) <= WIDTH:
        opening, comments = f"{opening}  {comments[0]}", []
    new = [
        *(f"{indent}{comment}\n" for comment in comments),
        f"{opening}\n",
        *map(view_line, lines[first:end]),
    ]
    return LineEdit(first, last, "".join(new))
