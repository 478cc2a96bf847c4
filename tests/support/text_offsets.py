r"""Positions of offsets: the inverse of `TextLines.offset`."""

from __future__ import annotations

from copydesk.text.document import Encoding, Position, TextLines


def position_at(document: TextLines, offset: int, encoding: Encoding | str = Encoding.UTF16) -> Position:
    r"""The position of an index in the text, clamped to the document; between `\r` and `\n` it is the place before both."""
    for number, line in enumerate(document.lines):
        if offset < len(line):
            return document.position(number, offset, encoding)
        offset -= len(line)
    return document.end(encoding)
