"""All that may answer a diagnostic whose answer can lie beyond its own statement: asks those who know the rules.

So a scope can hold these lines, and the model chooses among them. Knows no rule itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Tree

from copydesk.quickfixes.handlers.ambiguous_name import rename_edits
from copydesk.quickfixes.handlers.loop_variable_capture import capture_edits
from copydesk.quickfixes.handlers.missing_keyword_argument import argument_edits
from copydesk.quickfixes.handlers.raise_without_from import raise_edits
from copydesk.quickfixes.handlers.unused_variable import unread_edits
from copydesk.request import Diagnostic
from copydesk.text.line_edit import LineEdit

WIDEST = 40
"""Lines from the first to the last: no page shows more with what is round them, and the model may still know what to do."""


def ways(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> list[tuple[LineEdit, ...]]:
    """Each way as lines in place of others, from the top down; empty where no rule speaks. Raises: never."""
    for known in (raise_edits, capture_edits, rename_edits, argument_edits, unread_edits):
        found = known(diagnostic, lines, tree)
        if found:
            return [way for way in found if _lines(diagnostic, way) <= WIDEST]
    return []


def _lines(diagnostic: Diagnostic, way: Sequence[LineEdit]) -> int:
    """From the first line it is about to the last."""
    first, last = diagnostic.lines
    return max(last, *(part.last for part in way)) - min(first, *(part.first for part in way)) + 1
