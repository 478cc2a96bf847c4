"""Code of other indentation than four spaces, as the refactorings read and write it, and back.

Refactorings think in steps of four spaces. Of a document whose blocks are indented by tabs, or by two or three spaces, they get a
copy with such steps, line for line; what they write is put into the document's own steps again. Knows no syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from copydesk.refactorings.edits import Edits
from copydesk.request import Range
from copydesk.text.document import indent_step, indentation, split_lines, view_line

STEP = "    "
_OTHERS = ("\t", "  ", "   ")
"""Steps that are known beside it."""


@dataclass(frozen=True, slots=True)
class Indentation:
    """Of a document: `step`, and its lines as they are and in steps of four spaces."""

    step: str
    lines: Sequence[str]
    widened: Sequence[str]

    @classmethod
    def of(cls, lines: Sequence[str], scope: Sequence[Range]) -> Indentation | None:
        """None for a document of four spaces or of another step that is not known, and for selected lines that begin with spaces
        where the others begin with tabs.
        """
        step = indent_step(lines)
        selected = (line for first, last in scope for line in lines[first - 1 : last])
        if step not in _OTHERS or (step == "\t" and any(line.startswith(STEP) for line in selected)):
            return None
        return cls(step, lines, [_counted(line, step, STEP) for line in lines])

    def restored(self, edits: Edits) -> Edits:
        """Edits of the widened lines as edits of the document. A line that one of these replaces and keeps stays as it was."""
        return tuple(replace(edit, text=self._restored(edit.first, edit.last, edit.text)) for edit in edits)

    def _restored(self, first: int, last: int, text: str) -> str:
        replaced = slice(first - 1, last)
        kept = dict(
            zip(map(view_line, self.widened[replaced]), map(view_line, self.lines[replaced]), strict=True)
        )
        return "".join(kept.get(line) or _counted(line, STEP, self.step) for line in split_lines(text))


def _counted(line: str, step: str, other: str) -> str:
    """A line with as many steps of another kind; what is left behind its last whole step stays."""
    head = indentation(line)
    steps = 0
    while head.startswith(step, steps * len(step)):
        steps += 1
    return other * steps + line[steps * len(step) :]
