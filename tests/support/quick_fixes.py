"""For the tests of quick fixes: documents with a diagnostic marked in them, what the handlers answer, and edits applied."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.quickfixes.registry import quick_fixes
from copydesk.quickfixes.replacement import Replacement
from copydesk.request import Diagnostic, Range
from copydesk.syntax.tree import parse
from copydesk.text.document import Position
from copydesk.text.line_edit import LineEdit


def marked(source: str, mark: str = "¦") -> tuple[str, Position]:
    """The text without the mark, and where it stood."""
    at = source.index(mark)
    line = source.count("\n", 0, at)
    return source.replace(mark, "", 1), Position(line, at - (source.rfind("\n", 0, at) + 1))


def candidates(
    diagnostic: Diagnostic,
    lines: Sequence[str],
    scope: Sequence[Range] | None = None,
    language: str = "python",
) -> list[tuple[LineEdit, ...]]:
    """The edits of the first handler that has any, where the whole document or `scope` may be written."""
    fixes = quick_fixes(diagnostic, lines, language, parse(lines, language))
    found = next(fixes.candidates(scope if scope is not None else [(1, len(lines))]), None)
    return list(found.edits) if found is not None else []


def replacement(diagnostic: Diagnostic, lines: Sequence[str], language: str = "python") -> Replacement | None:
    """What the model may write where it writes."""
    return quick_fixes(diagnostic, lines, language, parse(lines, language)).replacement()


def applied(lines: Sequence[str], edit: Sequence[LineEdit]) -> str:
    """The document with an edit."""
    changed = list(lines)
    for part in reversed(edit):
        changed[part.first - 1 : part.last] = [part.text]
    return "".join(changed)
