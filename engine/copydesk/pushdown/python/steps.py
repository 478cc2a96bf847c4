"""One byte of Python, outside strings."""

from __future__ import annotations

from copydesk.pushdown.python.modes import (
    BEGIN,
    BEHIND_COLON,
    BRACKETS,
    CLOSE,
    CLOSERS,
    COLON,
    COMMENT,
    HARD,
    LAMBDA,
    NEWLINE,
    OPEN,
    PLAIN,
    SOFT,
    TABS,
    UNCERTAIN,
    Backslash,
    Code,
    Colon,
    Comment,
    Field,
    FirstWord,
    LineStart,
    Mode,
    Step,
    String,
    Terminals,
    Word,
    level_of,
)
from copydesk.pushdown.python.strings import field_step, opened, string_step
from copydesk.pushdown.python.words import FIRST, HARD_KEYWORDS, LATER, SOFT_KEYWORDS, in_word


def step(mode: Mode, byte: int) -> tuple[Mode, Terminals] | None:
    """The mode behind a byte and the terminals that it completes; None where it cannot stand there."""
    terminals: Terminals = ()
    while True:
        found = _step(mode, byte)
        if found is None:
            return None
        mode, more, again = found
        terminals += more
        if not again:
            return mode, terminals


def end(mode: Mode) -> Terminals | None:
    """The terminals that are complete where a text ends; None where it cannot end."""
    match mode:
        case LineStart() | Comment(own=True):
            return ()
        case Backslash() | Code(continued=True) | Field():
            return None
        case String(part=part, hosts=hosts) if part != "twice" or hosts:
            return None
    found = step(mode, 0x0A)
    return None if found is None else found[1]


def _step(mode: Mode, byte: int) -> Step | None:
    if byte == 0:
        return None
    match mode:
        case String():
            return string_step(mode, byte)
        case Field():
            return field_step(mode, byte)
        case Comment(own=own):
            if byte == 0x0A:
                return LineStart(), () if own else (NEWLINE,), False
            return mode, (), False
        case LineStart(level=level):
            return _line_start(level, byte)
        case FirstWord(word=word):
            return _first_word(word, byte)
        case Word(word=word):
            if in_word(byte):
                longer = word + chr(byte) if word else ""
                return Word(longer if longer in LATER else ""), (), False
            done = (LAMBDA,) if word == "lambda" else ()
            string = opened(word, byte)
            return (Code(), done, True) if string is None else (string, done, False)
        case Backslash(colon=colon):
            return (Code(colon, True), (), False) if byte == 0x0A else None
        case Colon():
            if byte == 0x3D:
                return Code(), (), False
            return Code(colon=True), (COLON,), True
        case Code(colon=colon, continued=continued):
            return _code(byte, colon, continued)


def _line_start(level: int, byte: int) -> Step:
    char = chr(byte)
    if char in " \t":
        spaces, tabs = (0, level - TABS) if level >= TABS else (level, 0)
        longer = level_of(spaces + (char == " "), tabs + (char == "\t"))
        return LineStart(UNCERTAIN if level == UNCERTAIN else longer), (), False
    if char in "\n\f":
        return LineStart(), (), False
    if char == "#":
        return Comment(own=True), (), False
    if char == "\\":  # its indentation is that of the lines it joins
        return Backslash(colon=False), (BEGIN + UNCERTAIN, PLAIN), False
    if char in FIRST:
        return FirstWord(char), (BEGIN + level,), False
    return Code(), (BEGIN + level, PLAIN), True


def _first_word(word: str, byte: int) -> Step:
    if in_word(byte):
        longer = word + chr(byte)
        return (FirstWord(longer), (), False) if longer in FIRST else (Word(""), (PLAIN,), False)
    kind = HARD if word in HARD_KEYWORDS else SOFT if word in SOFT_KEYWORDS else PLAIN
    string = opened(word, byte)
    return (Code(), (kind,), True) if string is None else (string, (kind,), False)


def _code(byte: int, colon: bool, continued: bool) -> Step:
    char = chr(byte)
    if char in " \t\f":
        return Code(colon, continued), (), False
    if char == "\n":
        return LineStart(), (NEWLINE,), False
    if char == "#":
        return Comment(own=False), (COMMENT,), False
    if char == "\\":
        return Backslash(colon), (), False
    if colon:
        return Code(), (BEHIND_COLON,), True
    if char == ":":
        return Colon(), (), False
    if char in BRACKETS:
        return Code(), (OPEN + BRACKETS.index(char),), False
    if char in CLOSERS:
        return Code(), (CLOSE + CLOSERS.index(char),), False
    if in_word(byte):
        return Word(char if char in LATER else ""), (), False
    return opened("", byte) or Code(), (), False
