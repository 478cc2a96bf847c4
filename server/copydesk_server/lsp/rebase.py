"""Edits, ranges and diagnostics carried through changes of the lines round them.

Everything here is arithmetic on line numbers: what was said of one version is said of a later one, or of none (None) where a
change met it. Texts never come in, so that it costs nothing; whether an edit fits the text is seen by `workspace_edits.py`.

Two things that touch do not meet: lines inserted right above a range push it down, lines inserted right below it leave it alone.
But an insertion point has only one place, and new lines at that very place meet it: nobody can say which comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from copydesk.request import Diagnostic, Range, ToolFix
from copydesk.text.document import Change, Position, TextEdit
from copydesk_server.engine_process.edit_outcome import EditOutcome


@dataclass(frozen=True, slots=True)
class Rebased:
    """Edits and the scope they lie in, in the coordinates of a later version."""

    edits: tuple[TextEdit, ...]
    scope: tuple[Range, ...]


def move_range(lines: Range, changes: Iterable[Change], *, open_end: bool = False) -> Range | None:
    """Where the 1-based `lines` are after `changes`, each in the coordinates after those before it; None where one met them.

    open_end: what is to stand there has no line break at its end, so that lines inserted right below would grow into it.
    """
    start, end = lines[0] - 1, lines[1]  # 0-based, exclusive
    for change in changes:
        first, old_end, grown = (
            change.first,
            change.old_end,
            change.new_count - (change.old_end - change.first),
        )
        if first == old_end and not grown:
            continue
        if start == end and first == old_end == start:
            return None
        if old_end <= start:
            start, end = start + grown, end + grown
        elif first < end or (open_end and first == end):
            return None
    return start + 1, end


def move_ranges(ranges: Iterable[Range], changes: Sequence[Change]) -> tuple[Range, ...] | None:
    """All of `ranges`, or None where a change met one of them."""
    moved: list[Range] = []
    for lines in ranges:
        there = move_range(lines, changes)
        if there is None:
            return None
        moved.append(there)
    return tuple(moved)


def rebase(edits: Sequence[TextEdit], scope: Sequence[Range], changes: Sequence[Change]) -> Rebased | None:
    """`edits`, made within `scope` for a text that has gone through `changes` since; None where a change met them.

    Applied to the later text they do what they did, and nothing to what has changed. An edit outside the scope (there should be
    none) is bound to the lines it touches itself.
    """
    if not changes:
        return Rebased(tuple(edits), tuple(scope))
    shifts: dict[int, int] = {}
    moved_scope: list[Range] = []
    homes = [_home(edit, scope) for edit in edits]
    for number, lines in enumerate(scope):
        inside = [edit for edit, home in zip(edits, homes, strict=True) if home == number]
        there = move_range(
            lines, changes, open_end=any(edit.end.line >= lines[1] and _open_end(edit) for edit in inside)
        )
        if there is None:
            return None
        shifts[number] = there[0] - lines[0]
        moved_scope.append(there)
    moved: list[TextEdit] = []
    for edit, home in zip(edits, homes, strict=True):
        if home is None:
            lines = _lines_of(edit)
            there = move_range(lines, changes, open_end=_open_end(edit))
            if there is None:
                return None
            moved.append(_shifted(edit, there[0] - lines[0]))
        else:
            moved.append(_shifted(edit, shifts[home]))
    return Rebased(tuple(moved), tuple(moved_scope))


def move_diagnostic(diagnostic: Diagnostic, changes: Sequence[Change]) -> Diagnostic | None:
    """The same finding in a later version; None where one of its lines has changed. A fix that changes what has changed goes."""
    lines = diagnostic.lines
    there = move_range(lines, changes)
    if there is None:
        return None
    shift = there[0] - lines[0]
    moved = [(rebase(fix.edits, (), changes), fix.safe) for fix in diagnostic.fixes]
    fixes = tuple(ToolFix(fix.edits, safe) for fix, safe in moved if fix is not None)
    if not shift and fixes == diagnostic.fixes:
        return diagnostic
    start, end = _down(diagnostic.start, shift), _down(diagnostic.end, shift)
    return replace(diagnostic, start=start, end=end, fixes=fixes)


def move_outcome(outcome: EditOutcome, version: int, changes: Sequence[Change]) -> EditOutcome | None:
    """The same outcome for a later version; None where a change overlaps its scope."""
    there = rebase(outcome.edits, outcome.scope, changes)
    if there is None:
        return None
    alternatives = []
    for one in outcome.alternatives:
        moved = rebase(one.edits, outcome.scope, changes)
        if moved is None:
            return None
        alternatives.append(replace(one, edits=moved.edits))
    return replace(
        outcome, version=version, edits=there.edits, scope=there.scope, alternatives=tuple(alternatives)
    )


def overlap(a: Range, b: Range) -> bool:
    """Whether two ranges have a line in common; an insertion point counts as the line it stands before."""
    return a[0] <= max(b) and b[0] <= max(a)


def _home(edit: TextEdit, scope: Sequence[Range]) -> int | None:
    """The range of `scope` the edit lies in, by number."""
    for number, (first, last) in enumerate(scope):
        if edit.start.line >= first - 1 and (edit.end.line, edit.end.character) <= (last, 0):
            return number
    return None


def _lines_of(edit: TextEdit) -> Range:
    """The lines an edit touches; an insertion point where it is between two."""
    last = edit.end.line if edit.end.character == 0 else edit.end.line + 1
    return edit.start.line + 1, max(last, edit.start.line + (edit.start.character > 0))


def _open_end(edit: TextEdit) -> bool:
    """Whether it ends at a line's start without having ended its own last line."""
    if edit.end.character or edit.new_text.endswith(("\n", "\r")):
        return False
    return bool(edit.new_text) or edit.start.character > 0


def _shifted(edit: TextEdit, by: int) -> TextEdit:
    return edit if not by else TextEdit(_down(edit.start, by), _down(edit.end, by), edit.new_text)


def _down(position: Position, by: int) -> Position:
    return Position(position.line + by, position.character)
