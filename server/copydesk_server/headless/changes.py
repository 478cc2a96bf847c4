"""What several rounds of edits make of a text, as edits of the text they began with; and where a diagnostic goes meanwhile.

Edits come from edits, never from a diff. Knows offsets; nothing of programs or files.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

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
        self._splice(_spans(TextLines(self.text), edits, encoding))
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

    def _splice(self, spans: Sequence[tuple[int, int, str]]) -> None:
        """spans: in order, apart from each other."""
        pieces: list[_Piece] = []
        old = deque(self._pieces)
        at = 0

        def until(offset: int, *, keep: bool) -> None:
            nonlocal at
            while at < offset and old:
                piece = old.popleft()
                taken = min(piece.length, offset - at)
                if keep:
                    pieces.append(_cut(piece, 0, taken))
                if taken < piece.length:
                    old.appendleft(_cut(piece, taken, piece.length))
                at += taken

        for begin, end, new in spans:
            until(begin, keep=True)
            until(end, keep=False)
            if new:
                pieces.append(_Piece(0, len(new), new))
        self._pieces = [*pieces, *old]


def _cut(piece: _Piece, first: int, last: int) -> _Piece:
    if piece.new is not None:
        return _Piece(0, last - first, piece.new[first:last])
    return _Piece(piece.start + first, last - first, None)


class Moves:
    """Where things of one text are in the text behind `edits` (utf-16): `before` and `after` are these texts."""

    def __init__(self, before: TextLines, edits: Sequence[TextEdit], after: TextLines) -> None:
        self._spans = _spans(before, edits, Encoding.UTF16)
        self._firsts = [first for first, _, _ in self._spans]
        self._shifts = [0, *accumulate(len(new) - (last - first) for first, last, new in self._spans)]
        self._before = _Positions(before, Encoding.UTF32)
        self._after = _Positions(after, Encoding.UTF32)

    def moved(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """A diagnostic of the text before. None: what it is about was edited."""
        place = self._there(diagnostic.start, diagnostic.end)
        if place is None:
            return None
        fixes = []
        for fix in diagnostic.fixes:
            places = [self._there(edit.start, edit.end) for edit in fix.edits]
            moved_fix = [
                TextEdit(*place, edit.new_text)
                for edit, place in zip(fix.edits, places, strict=True)
                if place
            ]
            if len(moved_fix) == len(fix.edits):
                fixes.append(ToolFix(tuple(moved_fix), fix.safe))
        return replace(diagnostic, start=place[0], end=place[1], fixes=tuple(fixes))

    def _there(self, begin: Position, stop: Position) -> tuple[Position, Position] | None:
        start, end = self._before.offset(begin), self._before.offset(stop)
        # The edits that end at or before `start`: all that begin before it, but perhaps the last of these.
        behind = bisect_left(self._firsts, start)
        if behind and self._spans[behind - 1][1] > start:
            return None
        while behind < len(self._spans) and self._spans[behind][1] <= start:
            behind += 1  # insertions at `start`
        if behind < len(self._spans) and (self._firsts[behind] < end or self._firsts[behind] == start):
            return None
        shift = self._shifts[behind]
        return self._after(start + shift), self._after(end + shift)


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
