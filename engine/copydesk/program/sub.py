"""Which texts may be the `old` of a sub: the one rule that oracle, training and grammar share.

It looks at characters only. Whether `old` is also a run of the line's own tokens is checked where tokens are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SUB_LINES = 4
"""The most lines that the old text of a sub may touch, unless an edit format says otherwise."""


class SubSpan(NamedTuple):
    """Where an old text lies. Offsets are in characters, within the start line and within `end_line`."""

    offset: int
    end_line: int
    """1-based: the line that holds the old text's last character."""
    end_offset: int
    """Exclusive, within `end_line`."""
    ends_line: bool
    """Whether the old text includes `end_line`'s terminator; the new text must then end with a terminator too."""


def sub_span(lines: Sequence[str], start: int, old: str, max_lines: int = SUB_LINES) -> SubSpan | None:
    r"""Where `old` is at line `start` (1-based) of `lines`, or None where it may not be the old text of a sub
    there.

    It may be if it is not empty, begins inside that line (the terminator included), touches at most `max_lines`
    lines, begins at exactly one place inside that line (overlapping occurrences count), and splits no `\r\n`.
    Works on exact and on view text. Raises: never.
    """
    if not old or not 0 < start <= len(lines):
        return None
    line = lines[start - 1]
    offset = line.find(old)
    if offset >= 0:
        if line.find(old, offset + 1) >= 0:
            return None
        end_line, end_offset, last = start, offset + len(old), line
        if old[-1] == "\r" and end_offset < len(line) and line[end_offset] == "\n":
            return None
    else:
        # Only a text that contains a terminator reaches the next line, and the terminator of this line then determines
        # where it begins.
        end_line, rest = start, max_lines
        block, last = line, line
        while len(block) < len(line) + len(old) and end_line < len(lines) and rest > 1:
            last = lines[end_line]
            block += last
            end_line += 1
            rest -= 1
        offset = block.find(old, 0, len(line) + len(old) - 1)
        if offset < 0 or block.find(old, offset + 1, len(line) + len(old) - 1) >= 0:
            return None
        end_line, end_offset = start, offset + len(old)
        while end_offset > len(lines[end_line - 1]):
            end_offset -= len(lines[end_line - 1])
            end_line += 1
        last = lines[end_line - 1]
        if old[-1] == "\r" and end_offset < len(last) and last[end_offset] == "\n":
            return None
    if old[0] == "\n" and offset and line[offset - 1] == "\r":
        return None
    return SubSpan(offset, end_line, end_offset, end_offset == len(last) and last[-1] in "\r\n")
