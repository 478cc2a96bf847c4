"""What a diagnostic's message says beyond its kind: the names it quotes, the counts it gives, the fix it suggests.

Every function takes the message alone, in the wording of any known tool, and raises nothing.
"""

from __future__ import annotations

import re
from enum import Flag, auto


class SyntaxHint(Flag):
    """What the message of a syntax error speaks of."""

    NONE = 0
    BRACKET = auto()
    """a bracket, of whatever kind"""
    OPEN_BRACKET = auto()
    """a bracket that is never closed: the message points at it, not at the error"""
    COLON = auto()
    COMMA = auto()
    QUOTE = auto()
    INDENT = auto()
    MISSING_BODY = auto()
    """an indented block that is expected"""
    BEYOND_GRAMMAR = auto()
    """a rule that CPython's compiler checks and its grammar does not: the text may parse"""


_HINTS = {
    SyntaxHint.BRACKET: re.compile(
        r"was (?:never|not) closed|unmatched|does not match opening|[Ee]xpected [`'\"][)\]}]|found [`'\"][)\]}]"
    ),
    SyntaxHint.OPEN_BRACKET: re.compile(r"was (?:never|not) closed"),
    SyntaxHint.COLON: re.compile(r"expected [`'\"]?:", re.IGNORECASE),
    SyntaxHint.COMMA: re.compile(r"comma|[Ee]xpected [`'\"],|[\[({]\" was not closed"),
    SyntaxHint.QUOTE: re.compile(r"unterminated|quote", re.IGNORECASE),
    SyntaxHint.INDENT: re.compile(r"indent", re.IGNORECASE),
    SyntaxHint.MISSING_BODY: re.compile(r"expected (?:an )?indented block", re.IGNORECASE),
    SyntaxHint.BEYOND_GRAMMAR: re.compile(
        r"outside|nonlocal|global|duplicate|__debug__|future|await|async|yield|keyword argument|encod|python 3|starred"
        r"|type (comment|signature|ignore)|type: ?ignore|comment|multiple assignments|patterns? unreachable",
        re.IGNORECASE,
    ),
}
_QUOTED = re.compile(r"[`'\"]([^\W\d]\w*)[`'\"]")
_FIRST_QUOTED = re.compile(r"[`'\"]([^`'\"]+)[`'\"]")
_SUGGESTED = re.compile(r"(?:[Dd]id you mean:?|maybe) [`'\"](?:self\.)?([^\W\d]\w*)[`'\"]")
_UNKNOWN_ATTRIBUTE = re.compile(
    r"has no attribute [`'\"](\w+)|has no [`'\"](\w+)[`'\"] member|^cannot access attribute [`'\"](\w+)"
    r"|^[`'\"](\w+)[`'\"] is not a known attribute",
    re.IGNORECASE,
)
_UNUSED_NAME = re.compile(
    r"variable [`'\"](\w+)[`'\"] is (?:assigned to but never used|not accessed)|^unused variable [`'\"](\w+)[`'\"]"
    r"|^[`'\"](?:[\w.]+ as )?(?:[\w.]+\.)?(\w+)[`'\"] imported but unused|^import [`'\"](?:[\w.]+\.)?(\w+)[`'\"] is not accessed"
    r"|^unused (?:[\w.]+ as )?(?:[\w.]+\.)?(\w+) imported from|^unused import (?:[\w.]+\.)?(\w+)\b(?! as )",
    re.IGNORECASE,
)
_UNUSED_IMPORT = re.compile(
    r"^(?:F401 )?[`'\"](?P<full>[^`'\"]+)[`'\"] imported but unused|^import [`'\"](?P<bound>[\w.]+)[`'\"] is not accessed"
    r"|^unused (?P<of>[\w.]+(?: as \w+)?) imported from|^unused import (?P<plain>[\w.]+(?: as \w+)?)",
    re.IGNORECASE,
)
_ADVISED_EXCEPTION = re.compile(r"`except (\w+):?`")
_TAKES_NONE = re.compile(r"\b(\w+)\(\) takes 0 positional arguments")
_BLANK_LINES_EXPECTED = re.compile(r"^(?:E30\d )?expected (\d) blank lines?\b", re.IGNORECASE)
_BLANK_LINES_FOUND = re.compile(r"found \(?(\d+)\)?$|\((\d+)\)$")


def syntax_hints(message: str) -> SyntaxHint:
    """All that it speaks of."""
    found = SyntaxHint.NONE
    for hint, pattern in _HINTS.items():
        if pattern.search(message):
            found |= hint
    return found


def quoted_identifiers(message: str) -> list[str]:
    """The identifiers in quotes, in order."""
    return _QUOTED.findall(message)


def quoted_name(message: str) -> str | None:
    """The first text in quotes, if it is an identifier: what a finding about a name is about."""
    found = _FIRST_QUOTED.search(message)
    return found.group(1) if found is not None and found.group(1).isidentifier() else None


def suggested_names(message: str) -> list[str]:
    """The names the tool suggests instead."""
    return _SUGGESTED.findall(message)


def unknown_attribute(message: str) -> str | None:
    """The attribute that a finding says is missing."""
    return _first_group(_UNKNOWN_ATTRIBUTE, message)


def unused_name(message: str) -> str | None:
    """The name of the variable or import that is never used, as the document binds it."""
    return _first_group(_UNUSED_NAME, message)


def unused_import(message: str) -> str | None:
    """The import that is never used, as the tool writes it: `name`, `module.name` or `name as other`."""
    return _first_group(_UNUSED_IMPORT, message)


def advised_exception(message: str) -> str | None:
    """The exception that an `except` should name, if the finding says one."""
    return _first_group(_ADVISED_EXCEPTION, message)


def function_without_parameters(message: str) -> str | None:
    """The function that a `TypeError` says takes no positional argument."""
    return _first_group(_TAKES_NONE, message)


def blank_lines_expected(message: str) -> int | None:
    """How many blank lines there should be."""
    found = _first_group(_BLANK_LINES_EXPECTED, message)
    return int(found) if found is not None else None


def blank_lines_found(message: str) -> int | None:
    """How many blank lines the tool counted."""
    found = _first_group(_BLANK_LINES_FOUND, message)
    return int(found) if found is not None else None


def _first_group(pattern: re.Pattern[str], message: str) -> str | None:
    found = pattern.search(message)
    return next((group for group in found.groups() if group), None) if found is not None else None
