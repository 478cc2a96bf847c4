"""The import of the standard library's that a linter's fix adds, where isort would put it: ruff adds its own below all others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from copydesk.request import Diagnostic, ToolFix
from copydesk.syntax.import_block import import_block
from copydesk.syntax.import_sorting import STANDARD, ImportLine, Place, import_lines, places
from copydesk.text.document import TextEdit
from copydesk.text.position import Position

_STATEMENT = re.compile(r"(?:import [\w.]+|from [\w.]+ import \w+)(\r?\n)")


def with_sorted_import(diagnostic: Diagnostic, lines: Sequence[str]) -> Diagnostic:
    """The diagnostic of a Python file, each import that its fixes put on a line of its own in its place. Raises: never."""
    if not diagnostic.fixes:
        return diagnostic
    return replace(diagnostic, fixes=tuple(_sorted(fix, lines) for fix in diagnostic.fixes))


def _sorted(fix: ToolFix, lines: Sequence[str]) -> ToolFix:
    edits = list(fix.edits)
    for place, edit in enumerate(edits):
        moved = _moved(edit, lines)
        others = edits[:place] + edits[place + 1 :]
        if not any(other.start.line <= moved.start.line <= other.end.line for other in others):
            edits[place] = moved
    return replace(fix, edits=tuple(edits))


def _moved(edit: TextEdit, lines: Sequence[str]) -> TextEdit:
    """The edit; one that adds an import, in the line where it is sorted, with blank lines around it where it stands alone."""
    statement = _STATEMENT.fullmatch(edit.new_text)
    line = edit.start.line + 1
    if statement is None or edit.start != edit.end or edit.start.character or line > len(lines):
        return edit
    new, block = ImportLine.of(edit.new_text, line), import_block(lines, "python")
    if new.section != STANDARD or lines[0].startswith("\ufeff"):
        return edit
    have = import_lines(lines, block) if block is not None else []
    if block is None or not have:
        place = Place(
            line, int(line > 1 and bool(lines[line - 2].strip())), int(bool(lines[line - 1].strip()))
        )
    elif block[0] <= line <= block[1] + 1:
        place = max(places(new, have, lines, block), key=lambda place: place.before + place.behind)
    else:
        return edit
    if place.line > len(lines):
        return edit
    at = Position(place.line - 1, 0)
    return TextEdit(at, at, statement[1] * place.before + edit.new_text + statement[1] * place.behind)
