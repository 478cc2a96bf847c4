"""A clean text with a defect put into it, and the diagnostics and requests that go with it.

Edits are in the offsets of the clean text; diagnostics are placed in the broken one. It knows offsets and
wordings; nothing of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Position
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.wordings import Wording, choose


class Edit(NamedTuple):
    """Replace `text[start:end]` of the clean text by `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Defect:
    """What an injector gives back: two texts, and what is asked.

    Usually `after` is the file's own text. `located` says whether the request points at the line.
    """

    before: str
    after: str
    request: EditRequest
    located: bool = True


class Broken:
    """The clean text with `edits` applied: `text`, and the way from clean offsets to its own."""

    def __init__(self, file: ParsedFile, edits: Sequence[Edit]) -> None:
        self.file = file
        self.edits = sorted(edits, key=lambda edit: (edit.start, edit.end))
        parts: list[str] = []
        at = 0
        for edit in self.edits:
            parts += (file.text[at : edit.start], edit.new)
            at = edit.end
        parts.append(file.text[at:])
        self.text = "".join(parts)

    def offset(self, clean: int) -> int:
        """Where a clean offset is now; one inside replaced text is at the new text's start, one at the end of
        it behind the new text.
        """
        shift = 0
        for edit in self.edits:
            if edit.end <= clean and (edit.start < clean or edit.start == edit.end):
                shift += len(edit.new) - (edit.end - edit.start)
            elif edit.start < clean:
                return edit.start + shift
            else:
                break
        return clean + shift

    def span(self, k: int = 0) -> tuple[int, int]:
        """Where the new text of edit `k` lies."""
        shift = sum(len(edit.new) - (edit.end - edit.start) for edit in self.edits[:k])
        start = self.edits[k].start + shift
        return start, start + len(self.edits[k].new)

    def position(self, offset: int) -> Position:
        """An offset of the broken text as a position."""
        return position_of(self.text, offset)

    def line(self, offset: int) -> int:
        """The 1-based line of an offset of the broken text."""
        return self.text.count("\n", 0, offset) + 1

    def diagnostic(
        self, rng: Random, subject: str, start: int, end: int, fields: dict[str, object] | None = None
    ) -> Diagnostic:
        """One of the wordings of `subject`, at `[start, end)` of the broken text."""
        return worded(self.text, choose(rng, subject, fields or {}), start, end, fields or {})

    def defect(self, *diagnostics: Diagnostic) -> Defect:
        """The way back, for these diagnostics."""
        return Defect(self.text, self.file.text, EditRequest(diagnostics=diagnostics))

    def asked(self, instruction: str, scope: Sequence[Range] | None, located: bool = False) -> Defect:
        """The way back, for an instruction."""
        request = EditRequest(instruction=instruction, scope=scope)
        return Defect(self.text, self.file.text, request, located)


def position_of(text: str, offset: int) -> Position:
    """An offset as a 0-based line and a character."""
    return Position(text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1))


def worded(text: str, wording: Wording, start: int, end: int, fields: dict[str, object]) -> Diagnostic:
    """A diagnostic at `[start, end)` of `text`, reaching as far as the tool of that wording marks."""
    if wording.reach == "start":
        end = start
    elif wording.reach == "line":
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
    elif wording.reach == "whole-line":
        start = text.rfind("\n", 0, start) + 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
    first = position_of(text, start)
    last = first if end == start else position_of(text, end)
    message = wording.message.format_map(fields) if fields else wording.message
    return Diagnostic(first, last, message, wording.code, wording.source, wording.severity)
