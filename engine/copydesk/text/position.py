"""Positions in the three encodings of LSP, and the edits that use them.

This module knows how many units a character takes in UTF-8, UTF-16 and UTF-32 and how LSP 3.17 clamps a position that does not
exist ("Text Documents", "Position"). It works on the content of one line, without its terminator.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from copydesk.errors import DocumentError


class Encoding(StrEnum):
    """LSP's `PositionEncodingKind`: the unit that `Position.character` counts."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A 0-based line and a 0-based character, in the units of an encoding named beside it."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text from `start` to `end` (exclusive) by `new_text`, in the coordinates of the unedited
    document."""

    start: Position
    end: Position
    new_text: str


def encoding_of(encoding: Encoding | str) -> Encoding:
    """The encoding of that name. Raises DocumentError for a name that LSP does not define."""
    try:
        return Encoding(encoding)
    except ValueError:
        raise DocumentError(f"unknown position encoding {encoding!r}") from None


def column_of(content: str, character: int, encoding: Encoding | str) -> int:
    """The index in `content` (one line without its terminator) of the `character`-th unit.

    A `character` beyond the end means the end; one inside a character of several units means the start of that
    character. Raises DocumentError for a negative one.
    """
    if character < 0:
        raise DocumentError(f"negative character {character}")
    encoding = encoding_of(encoding)
    if _one_unit_each(content, encoding):
        return min(character, len(content))
    units = 0
    for column, char in enumerate(content):
        units += _units(char, encoding)
        if units > character:
            return column
    return len(content)


def character_of(content: str, column: int, encoding: Encoding | str) -> int:
    """How many units the first `column` characters of `content` take."""
    encoding = encoding_of(encoding)
    head = content[:column]
    if _one_unit_each(head, encoding):
        return len(head)
    return sum(_units(char, encoding) for char in head)


def _one_unit_each(content: str, encoding: Encoding) -> bool:
    if encoding is Encoding.UTF32 or content.isascii():
        return True
    return encoding is Encoding.UTF16 and max(content) < "\U00010000"


def _units(char: str, encoding: Encoding) -> int:
    # Computed from the code point, not by `encode`: JSON can carry a lone surrogate, which no codec accepts.
    code = ord(char)
    if encoding is Encoding.UTF16:
        return 2 if code > 0xFFFF else 1
    if encoding is Encoding.UTF8:
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return 1
