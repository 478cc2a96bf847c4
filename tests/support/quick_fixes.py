"""For the tests of quick fixes: documents with a diagnostic marked in them, what the handlers answer, and edits applied."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from copydesk.quickfixes.registry import quick_fixes
from copydesk.quickfixes.replacement import Replacement
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.syntax.tree import parse
from copydesk.text.document import Position, split_lines
from copydesk.text.line_edit import LineEdit
from desks import editor
from server_tools import the_ruff


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


def fixed(source: str, code: str | None, message: str) -> list[str]:
    """The documents that the candidates for a diagnostic at `$0` come to; all of them parse."""
    text, place = marked(source, "$0")
    lines = split_lines(text)
    found = [applied(lines, edit) for edit in candidates(Diagnostic(place, place, message, code), lines)]
    for each in found:
        ast.parse(each)
    return found


def ruff_is_content(text: str, code: str) -> None:
    """Every candidate for the first of ruff's findings silences it, and so does the edit that the engine makes."""
    ruff = the_ruff()
    said = ruff.check(text, None, select=f"{code},E9")
    assert said
    lines = split_lines(text)
    results = [applied(lines, edit) for edit in candidates(replace(said[0], fixes=()), lines)]
    document = editor().open("a.py", text, language="python")
    result = document.edit(EditRequest(diagnostics=[replace(said[0], fixes=())]))
    assert result.text in results
    for each in results:
        assert len(ruff.check(each, None, select=f"{code},E9")) < len(said)
