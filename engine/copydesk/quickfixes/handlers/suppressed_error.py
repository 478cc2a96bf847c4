"""`try`, `except` and `pass` with comments, which ruff cannot place (SIM105): `contextlib.suppress`, and they stand with it.

A comment that speaks to a tool (`# pragma: no cover`) counts where it stands: with one of those nothing is offered.
"""

from __future__ import annotations

import re

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.handlers.missing_import import importable
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.suppression import suppressing
from copydesk.syntax.tree import node_at
from copydesk.text.line_edit import LineEdit

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
        edit = suppressing(node, name, context.lines)
        return candidates_of(parsing(context, [(*imports, edit)])) if edit is not None else None


def _import(context: FixContext) -> tuple[LineEdit, ...]:
    """`import contextlib`, above the statement; none where that is out of reach."""
    first = import_point(context.lines, "python")
    block = import_block(context.lines, "python", context.header_lines or None) or (first, first - 1)
    found = importable("contextlib", context.lines, block) if context.in_scope(*block) else None
    above = found is not None and found.edits[0].last < context.diagnostic.start.line + 1
    return found.edits[:1] if found is not None and above else ()
