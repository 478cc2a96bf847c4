"""The end of a file: a newline where there is none (W292, C0304), no blank lines (W391, C0305)."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.text.document import terminator
from copydesk.text.line_edit import LineEdit


class FinalNewline(Handler):
    """The file with one newline at its end."""

    kinds = frozenset({DiagnosticKind.MISSING_FINAL_NEWLINE, DiagnosticKind.TRAILING_NEWLINES})

    def candidates(self, context: FixContext) -> Candidates | None:
        missing = context.kind is DiagnosticKind.MISSING_FINAL_NEWLINE
        edits = _terminated(context.lines) if missing else _stripped(context.lines)
        return candidates_of((edit,) for edit in edits)

    def still_applies(self, context: FixContext) -> bool:
        last = context.lines[-1]
        return (
            not terminator(last) if context.kind is DiagnosticKind.MISSING_FINAL_NEWLINE else not last.strip()
        )


def _terminated(lines: Sequence[str]) -> list[LineEdit]:
    last = lines[-1]
    # A last line of blanks alone may as well go: that is left to the model.
    return [] if terminator(last) or not last.strip() else [LineEdit(len(lines), len(lines), last + "\n")]


def _stripped(lines: Sequence[str]) -> list[LineEdit]:
    first = len(lines) + 1
    while first > 1 and not lines[first - 2].strip():
        first -= 1
    return [LineEdit(first, len(lines), "")] if 1 < first <= len(lines) else []
