r"""A document as lines: where they break, where positions lie, and splices that touch only what they change.

This is the only module that knows line breaks. A line owns its terminator (`\n`, `\r\n` or `\r`: LSP 3.17, "Text Documents");
only the last line may lack one; an empty line after the final terminator is not a line ("a\n" is one line, "" is none). It
depends on no files, programs, tokens or clients.

There are two domains of text. *Exact* text is the document's own characters. *View* text is what models see, with every
terminator written as `\n`. `view_line` converts exact text to view text, `localise` converts back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from copydesk.errors import DocumentError
from copydesk.text.position import Encoding, Position, TextEdit, character_of, column_of, encoding_of

__all__ = [
    "Change",
    "Encoding",
    "Position",
    "TextEdit",
    "TextLines",
    "apply_edits",
    "content",
    "indent_step",
    "indentation",
    "localise",
    "majority_terminator",
    "split_lines",
    "terminator",
    "view_line",
    "view_text",
]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


_HEAD = re.compile(
    r"\s*(?:async|case|class|def|elif|else|except|finally|for|if|match|try|while|with)\b.*:\s*(?:#.*)?$"
)
"""A line that opens a block of Python, and no heading of a docstring."""
STEPS = 200
"""Blocks that tell how a document is indented."""
_LARGE = 100_000
_SHORT = 8


def split_lines(text: str) -> list[str]:
    r"""The lines of `text` with their terminators; `"".join` of them is `text`. Breaks at `\n`, `\r\n`,
    `\r` only."""
    if len(text) > _LARGE and _SHORT * (text.count("\n") + text.count("\r")) > len(text):
        # With millions of lines of a character or two, one string a line would take thirty times the text: equal lines share one.
        shared: dict[str, str] = {}
        return [shared.setdefault(line, line) for line in map(re.Match.group, _LINE.finditer(text))]
    return _LINE.findall(text)


def terminator(line: str) -> str:
    r"""The line break that ends `line`: `\n`, `\r\n`, `\r`, or "" when it has none."""
    if line.endswith("\n"):
        return "\r\n" if line.endswith("\r\n") else "\n"
    return "\r" if line.endswith("\r") else ""


def content(line: str) -> str:
    """`line` without its terminator."""
    return line[: len(line) - len(terminator(line))]


def indentation(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def indent_step(lines: Iterable[str]) -> str:
    """One step of indentation of Python code, as most of its first `STEPS` blocks have it; four spaces where there are none."""
    code = ((indentation(line), _HEAD.match(line)) for line in lines if line.strip())
    steps = (
        inner.removeprefix(outer)
        for (outer, opens), (inner, _) in pairwise(code)
        if opens and inner != outer and inner.startswith(outer)
    )
    most = Counter(islice(steps, STEPS)).most_common(1)
    return most[0][0] if most else "    "


def view_line(line: str) -> str:
    r"""`line` as models see it: its terminator becomes `\n`; a line without one stays as it is."""
    end = terminator(line)
    return line if end in ("\n", "") else line[: -len(end)] + "\n"


def view_text(text: str) -> str:
    r"""`text` with every terminator written as `\n`."""
    return text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")


def majority_terminator(lines: Iterable[str]) -> str:
    r"""The most frequent terminator of `lines`, the first seen where there is a tie; `\n` where no line has one."""
    counts = Counter(terminator(line) for line in lines)
    del counts[""]
    return counts.most_common(1)[0][0] if counts else "\n"


def localise(
    text: str, replaced: Sequence[str], previous: str | None, majority: str, following: str | None = None
) -> str:
    r"""View text in the document's own line breaks.

    The k-th generated line takes the terminator of `replaced[k]` (an exact line); where that is missing or
    has none, that of the line written before it (`previous`, an exact line, for the first one); then
    `majority`. A final line without a terminator keeps none. Two lines never merge into one because a `\r` and a
    `\n` meet: after a lone `\r` an empty line ends in `\r`, and before `following` (the exact line that will
    come after the text) a `\r` is written as `\r\n` where `following` starts with `\n`.
    """
    lines = split_lines(text)
    last = terminator(previous) if previous is not None else ""
    written: list[str] = []
    for k, line in enumerate(lines):
        body, end = content(line), terminator(line)
        if end:
            end = (terminator(replaced[k]) if k < len(replaced) else "") or last or majority
            if not body and end == "\n" and last == "\r":
                end = "\r"
            last = end
        written.append(body + end)
    if (
        last == "\r"
        and lines
        and terminator(lines[-1])
        and following is not None
        and following.startswith("\n")
    ):
        written[-1] += "\n"
    return "".join(written)


@dataclass(frozen=True, slots=True)
class Change:
    """Lines `first` to `old_end` (0-based, exclusive) of the old document became `new_count` lines. The first and
    the last of them differ."""

    first: int
    old_end: int
    new_count: int


class TextLines:
    """A document's text as a mutable list of lines, with positions and splices.

    Callers must not modify `lines`. A splice takes time in proportion to the lines it touches, and moves the tail of
    the list; `text` is joined on demand and kept until the next splice.
    """

    __slots__ = ("_text", "lines")

    def __init__(self, text: str = "") -> None:
        self.lines: list[str] = split_lines(text)
        self._text: str | None = text

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is None:
            self._text = "".join(self.lines)
        return self._text

    def snapshot(self) -> TextLines:
        """A copy of the document that later splices leave alone. Lines are shared, not copied."""
        copy = TextLines()
        copy.lines, copy._text = list(self.lines), self._text
        return copy

    def locate(self, position: Position, encoding: Encoding | str = Encoding.UTF16) -> tuple[int, int]:
        r"""The 0-based (line, column in code points) of `position`, clamped as LSP 3.17 asks.

        A character beyond the end of a line means the end of that line, before the terminator; a line beyond the last
        means the end of the document; a position inside a character means its start. So the result is never between
        `\r` and `\n`. The end of a document whose last line is terminated (or that is empty) is `(len(lines), 0)`.
        Raises DocumentError for negative numbers.
        """
        if position.line < 0 or position.character < 0:
            raise DocumentError(f"negative position {position.line}:{position.character}")
        if position.line >= len(self.lines):
            encoding_of(encoding)
            return self._end()
        return position.line, column_of(content(self.lines[position.line]), position.character, encoding)

    def position(self, line: int, column: int, encoding: Encoding | str = Encoding.UTF16) -> Position:
        """The position of a 0-based (line, column in code points), clamped like `locate`."""
        line, column = self.locate(Position(line, column), Encoding.UTF32)
        if line == len(self.lines):
            return Position(line, 0)
        return Position(line, character_of(self.lines[line], column, encoding))

    def clamp(self, position: Position, encoding: Encoding | str = Encoding.UTF16) -> Position:
        """`position`, or the nearest legal position before it, as LSP requires."""
        return self.position(*self.locate(position, encoding), encoding)

    def end(self, encoding: Encoding | str = Encoding.UTF16) -> Position:
        """The position after the last character."""
        return self.position(*self._end(), encoding)

    def offset(self, position: Position, encoding: Encoding | str = Encoding.UTF16) -> int:
        """The index of `position` in `text`, in code points. Takes a pass over the lines before it."""
        line, column = self.locate(position, encoding)
        return sum(map(len, self.lines[:line])) + column

    def between(self, start: Position, end: Position, encoding: Encoding | str = Encoding.UTF16) -> str:
        """The text from `start` to `end`. Raises DocumentError where `end` lies before `start`."""
        first, head, last, tail = self._range(start, end, encoding)
        if first >= len(self.lines):
            return ""
        if first == last:
            return self.lines[first][head:tail]
        final = self.lines[last][:tail] if last < len(self.lines) else ""
        return "".join([self.lines[first][head:], *self.lines[first + 1 : last], final])

    def splice(
        self, start: Position, end: Position, new_text: str, encoding: Encoding | str = Encoding.UTF16
    ) -> Change:
        r"""Replace `start` to `end` (clamped) by `new_text` and say which lines changed.

        Afterwards `lines` equals `split_lines(text)`: where a `\r` and a `\n` come to touch they become one
        terminator. The change is tight: its first and last line differ from what stood there. Raises
        DocumentError (and changes nothing) where `end` lies before `start` or a number is negative.
        """
        first, head, last, tail = self._range(start, end, encoding)
        lines = self.lines
        count = len(lines)
        text = (lines[first][:head] if first < count else "") + new_text
        old_end = min(last, count)
        # Where whole lines are replaced, the line after them is not part of the change: it may equal the first of them, and
        # deleting lines 1 and 2 would be reported as deleting 2 and 3. Only a lone line feed may merge with the new text.
        if tail or (text and not text.endswith(("\n", "\r"))) or (last < count and lines[last][0] == "\n"):
            text += lines[last][tail:] if last < count else ""
            old_end = min(last + 1, count)
        # Only here can two terminators merge: `text` is always followed by a terminator of its own or the document's end.
        if first and text.startswith("\n") and lines[first - 1].endswith("\r"):
            first -= 1
            text = lines[first] + text
        new = split_lines(text)
        keep_head, keep_tail = _common_ends(lines, first, old_end, new)
        first, old_end = first + keep_head, old_end - keep_tail
        if keep_head or keep_tail:
            new = new[keep_head : len(new) - keep_tail]
        if new or old_end > first:
            lines[first:old_end] = new
            self._text = None
        return Change(first, old_end, len(new))

    def _end(self) -> tuple[int, int]:
        if self.lines and not terminator(self.lines[-1]):
            return len(self.lines) - 1, len(self.lines[-1])
        return len(self.lines), 0

    def _range(self, start: Position, end: Position, encoding: Encoding | str) -> tuple[int, int, int, int]:
        if end < start:
            raise DocumentError(
                f"a range ends ({end.line}:{end.character}) before it starts ({start.line}:{start.character})"
            )
        first, head = self.locate(start, encoding)
        last, tail = self.locate(end, encoding)
        return first, head, last, tail


def _common_ends(lines: Sequence[str], first: int, old_end: int, new: Sequence[str]) -> tuple[int, int]:
    """How many leading and trailing lines of `new` equal those of `lines[first:old_end]`."""
    shortest = min(len(new), old_end - first)
    head = 0
    while head < shortest and lines[first + head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and lines[old_end - 1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def apply_edits(text: str, edits: Iterable[TextEdit], encoding: Encoding | str = Encoding.UTF16) -> str:
    """`text` with `edits` applied at once, all in the coordinates of `text`; inserts at one position keep
    their order.

    Raises DocumentError where two edits overlap or one ends before it starts (LSP 3.17, "TextEdit[]").
    """
    document = TextLines(text)
    starts = [0]
    for line in document.lines:
        starts.append(starts[-1] + len(line))
    spans: list[tuple[int, int, str]] = []
    for edit in edits:
        if edit.end < edit.start:
            raise DocumentError(f"an edit ends before it starts: {edit}")
        first, head = document.locate(edit.start, encoding)
        last, tail = document.locate(edit.end, encoding)
        spans.append((starts[first] + head, starts[last] + tail, edit.new_text))
    # A stable sort by start alone: a replacement listed after an insert at the same position stays after it.
    spans.sort(key=lambda span: span[0])
    parts: list[str] = []
    done = 0
    for begin, end, new_text in spans:
        if begin < done:
            raise DocumentError("two edits overlap")
        parts += (text[done:begin], new_text)
        done = end
    return "".join([*parts, text[done:]])
