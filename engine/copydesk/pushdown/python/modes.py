"""What the lexer of Python stands in between two bytes, and what it tells the stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Terminals = tuple[int, ...]

OPEN, CLOSE = 0, 3
"""`OPEN + k` opens the bracket `BRACKETS[k]`, `CLOSE + k` closes it."""
BRACKETS = "([{"
CLOSERS = ")]}"
NEWLINE, COLON, BEHIND_COLON, LAMBDA = 6, 7, 8, 9
"""The end of a line with a statement, a colon, what comes behind a colon in its line, the word `lambda`."""
COMMENT = 13
"""A comment begins behind something else: its line ends with it."""
HARD, SOFT, PLAIN = 10, 11, 12
"""How a line begins: with a keyword that opens a block, with a word that may be one, otherwise."""
BEGIN = 20
"""`BEGIN + level` begins a line at this level of indentation. A level is a number of spaces, or TABS and a number of tabs."""
TABS = 128
UNCERTAIN = 255
"""A level that no other can be compared with: tabs and spaces, or too many."""
MOST_SPACES, MOST_TABS = 100, 40


def level_of(spaces: int, tabs: int) -> int:
    """The level of a line with so much before its first character."""
    if (spaces and tabs) or spaces > MOST_SPACES or tabs > MOST_TABS:
        return UNCERTAIN
    return TABS + tabs if tabs else spaces


@dataclass(frozen=True, slots=True)
class LineStart:
    """In a line that has only indentation so far."""

    level: int = 0


@dataclass(frozen=True, slots=True)
class FirstWord:
    """In the first word of a line, which may still be a keyword or the prefix of a string."""

    word: str


@dataclass(frozen=True, slots=True)
class Word:
    """In a later word or a number. word: what it is so far, nothing where that does not matter."""

    word: str


@dataclass(frozen=True, slots=True)
class Code:
    """Between tokens. colon: only blanks stand between here and a colon. continued: behind a backslash and its newline."""

    colon: bool = False
    continued: bool = False


@dataclass(frozen=True, slots=True)
class Colon:
    """Just behind a colon, which may be the first half of `:=`."""


@dataclass(frozen=True, slots=True)
class Comment:
    """own: there is nothing else in its line."""

    own: bool


@dataclass(frozen=True, slots=True)
class Backslash:
    """Behind a backslash that joins lines. colon: as in `Code`."""

    colon: bool


@dataclass(frozen=True, slots=True)
class Quotes:
    """How a string is quoted. formatted: it is an f-string. raw: of f-strings alone."""

    mark: int
    triple: bool
    formatted: bool
    raw: bool


@dataclass(frozen=True, slots=True)
class Host:
    """A field of an f-string that something stands in. brackets: those open in it. in_spec: it is part of a format
    specification."""

    quotes: Quotes
    brackets: str = ""
    in_spec: bool = False


Hosts = tuple[Host, ...]
"""Innermost last; none in code."""

Part = Literal[
    "opened",  # behind the first quotation mark
    "twice",  # behind two: the string is empty, or they are the first of three
    "text",
    "escape",  # behind a backslash
    "one",  # behind one quotation mark of a triple-quoted string
    "two",
    "{",  # behind a brace of an f-string, which may be doubled
    "}",
    "\\N",
    "name",  # in the braces behind that
]


@dataclass(frozen=True, slots=True)
class String:
    """In a string."""

    quotes: Quotes
    part: Part
    hosts: Hosts = ()


FieldPart = Literal[
    "start",  # before its expression
    "code",
    "word",
    "closed",  # behind a string quoted as a triple-quoted host is, once
    "<",  # behind `<` or `>`, outside brackets
    "=",  # behind `=`, which ends the expression if it is alone
    "!",  # the same, or before a conversion
    "done",  # behind such a `=` and blanks
    "converted",
    "spec",  # in its format specification
]


@dataclass(frozen=True, slots=True)
class Field:
    """In a field of an f-string: hosts[-1]. word: as in `Word`; of "closed" the quotation mark."""

    hosts: Hosts
    part: FieldPart = "start"
    word: str = ""


Mode = LineStart | FirstWord | Word | Code | Colon | Comment | Backslash | String | Field
Step = tuple[Mode, Terminals, bool]
"""The next mode, the terminals that are complete, and whether the byte is read again there."""
