"""What several rounds of edits make of a text, as edits of the text they began with; and where a diagnostic goes meanwhile.

Edits come from edits, never from a diff. Knows offsets; nothing of programs or files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of the text: `length` characters of the original from `start`, or new ones."""

    start: int
    length: int
    new: str | None


class Changes:
    """A text, edited round by round."""

    def __init__(self, text: str) -> None:
        self._original = TextLines(text)
        self._pieces = [_Piece(0, len(text), None)]
        self.text = text

    def apply(self, edits: Sequence[TextEdit], encoding: Encoding = Encoding.UTF16) -> None:
        """`edits`, in the coordinates of `text` as it stands. Raises DocumentError where two overlap."""
        after = apply_edits(self.text, edits, encoding)
        spans = _spans(TextLines(self.text), edits, encoding)
        for begin, end, new in reversed(spans):
            self._splice(begin, end, new)
        self.text = after

    def edits(self, encoding: Encoding = Encoding.UTF16) -> list[TextEdit]:
        """All of it at once, in the coordinates of the text at first: ordered, apart from each other."""
        found: list[tuple[int, int, str]] = []
        done, new = 0, ""
        for piece in [*self._pieces, _Piece(len(self._original.text), 0, None)]:
            if piece.new is not None:
                new += piece.new
                continue
            if piece.start > done or new:
                found.append((done, piece.start, new))
            done, new = piece.start + piece.length, ""
        text = self._original.text
        at = _Positions(self._original, encoding)
        tight = (_tight(text, *edit) for edit in found)
        return [TextEdit(at(begin), at(end), new) for begin, end, new in tight if begin < end or new]

    def _splice(self, begin: int, end: int, new: str) -> None:
        left: list[_Piece] = []
        right: list[_Piece] = []
        first = 0
        for piece in self._pieces:
            last = first + piece.length
            if first < begin:
                left.append(_cut(piece, 0, min(piece.length, begin - first)))
            if last > end:
                right.append(_cut(piece, max(0, end - first), piece.length))
            first = last
        middle = [_Piece(0, len(new), new)] if new else []
        self._pieces = [*left, *middle, *right]


def _cut(piece: _Piece, first: int, last: int) -> _Piece:
    if piece.new is not None:
        return _Piece(0, last - first, piece.new[first:last])
    return _Piece(piece.start + first, last - first, None)


def moved(
    diagnostic: Diagnostic, before: TextLines, edits: Sequence[TextEdit], after: TextLines
) -> Diagnostic | None:
    """Where a diagnostic of `before` is in `after`, `edits` (utf-16) later. None: what it is about was edited."""
    spans = _spans(before, edits, Encoding.UTF16)
    at = _Positions(after, Encoding.UTF32)

    def there(begin: Position, stop: Position) -> tuple[Position, Position] | None:
        start, end = (before.offset(place, Encoding.UTF32) for place in (begin, stop))
        shift = 0
        for first, last, new in spans:
            if last <= start:
                shift += len(new) - (last - first)
            elif first < end or first == start:
                return None
        return at(start + shift), at(end + shift)

    place = there(diagnostic.start, diagnostic.end)
    if place is None:
        return None
    fixes = []
    for fix in diagnostic.fixes:
        places = [there(edit.start, edit.end) for edit in fix.edits]
        moved_fix = [
            TextEdit(*place, edit.new_text) for edit, place in zip(fix.edits, places, strict=True) if place
        ]
        if len(moved_fix) == len(fix.edits):
            fixes.append(ToolFix(tuple(moved_fix), fix.safe))
    return replace(diagnostic, start=place[0], end=place[1], fixes=tuple(fixes))


def _spans(lines: TextLines, edits: Sequence[TextEdit], encoding: Encoding) -> list[tuple[int, int, str]]:
    starts = _Positions(lines, encoding)
    spans = [(starts.offset(edit.start), starts.offset(edit.end), edit.new_text) for edit in edits]
    return sorted(spans, key=lambda span: span[0])


def _tight(text: str, begin: int, end: int, new: str) -> tuple[int, int, str]:
    """Without what is the same at both ends. A line break of two characters is never cut in two."""
    head, most = 0, min(end - begin, len(new))
    while head < most and text[begin + head] == new[head]:
        head += 1
    if head and text[begin + head - 1] == "\r":
        head -= 1
    tail = 0
    while tail < most - head and text[end - 1 - tail] == new[-1 - tail]:
        tail += 1
    if tail and text[end - tail] == "\n" and "\r" in (text[begin:end] + new):
        tail -= 1
    return begin + head, end - tail, new[head : len(new) - tail]


class _Positions:
    """Offsets and positions of one text, the lines counted once."""

    def __init__(self, lines: TextLines, encoding: Encoding) -> None:
        self._lines = lines
        self._encoding = encoding
        self._starts = [0]
        for line in lines.lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, position: Position) -> int:
        line, column = self._lines.locate(position, self._encoding)
        return self._starts[line] + column

    def __call__(self, offset: int) -> Position:
        line = min(bisect_right(self._starts, offset) - 1, len(self._lines))
        if line == len(self._lines) and line and not self._lines.lines[-1].endswith(("\n", "\r")):
            line -= 1
        return self._lines.position(line, offset - self._starts[line], self._encoding)
