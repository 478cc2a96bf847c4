r"""Whether a diagnostic can still be true of the lines it points at: editors keep findings after the code has moved on.

Only what can be seen on the spot counts: a text that parses has no syntax error, a line without the name cannot misuse it. Where
nothing can be seen the diagnostic is believed. Knows Python and wordings; nothing of pages or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from copydesk.document import content
from copydesk.fragments import fragment_at
from copydesk.request import Diagnostic
from copydesk.scope import is_syntax_error, names_undefined

_BEYOND_GRAMMAR = re.compile(
    r"outside|nonlocal|global|duplicate|assign|delete|future|await|async|yield|keyword argument|encod|python 3",
    re.IGNORECASE,
)
"""Syntax errors that CPython's grammar alone does not see."""
_NAME = re.compile(r"[`'\"]([^\W\d]\w*)[`'\"]")

_SEEN: tuple[tuple[frozenset[str], re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (frozenset(codes.split()), re.compile(message, re.IGNORECASE), re.compile(line))
    for codes, message, line in (
        ("E711", r"comparison to `?None\b", r"[=!]=\s*\(?None\b|\bNone\)?\s*[=!]="),
        ("E712", r"comparisons? to `?(True|False)\b", r"[=!]=\s*(True|False)\b|\b(True|False)\s*[=!]="),
        ("E713", r"should be [`']not in\b", r"\bnot\b.*\bin\b"),
        ("E714", r"should be [`']is not\b", r"\bnot\b.*\bis\b"),
        ("E721 C0123 unidiomatic-typecheck", r"do not compare types", r"\btype\("),
        ("E722 W0702 bare-except", r"^do not use bare [`']except", r"\bexcept\s*:"),
        ("F541 W1309 f-string-without-interpolation", r"f-string .* placeholders$", r"\b([fF][rR]?|[rR][fF])[\"']"),
        ("W291", r"^(W291 )?trailing whitespace", r"\s$"),
        ("W293", r"blank line contains whitespace", r"^\s+$"),
        ("C0303 trailing-whitespace", r"^trailing whitespace", r"\s$"),
        ("C0121 singleton-comparison", r"^Comparison '.*' should be", r"[=!]="),
        ("C0117 unnecessary-negation", r"^Consider changing \"not ", r"\bnot\b"),
    )
)  # fmt: skip


def holds(diagnostic: Diagnostic, lines: Sequence[str], language: str) -> bool:
    """False where the lines show that the diagnostic is out of date. Raises: never."""
    if language != "python":
        return True
    first, last = diagnostic.lines
    if not 0 < first <= len(lines):
        return True  # whether it lies in the document is for the scope to say
    shown = [content(line) for line in lines[first - 1 : min(last, len(lines))]]
    if is_syntax_error(diagnostic):
        fragment = None if _BEYOND_GRAMMAR.search(diagnostic.message) else fragment_at(lines, first - 1)
        return fragment is None or not fragment.parses() or _elsewhere(lines, first - 1)
    if names_undefined(diagnostic):
        name = _NAME.search(diagnostic.message)
        return name is None or any(_word(name.group(1)).search(text) for text in shown)
    for codes, message, line in _SEEN:
        if diagnostic.code in codes or message.search(diagnostic.message):
            return any(line.search(text) for text in shown)
    return True


def _elsewhere(lines: Sequence[str], at: int) -> bool:
    """Whether the neighbours of a fragment that parses do not: a parser may speak of a line too late or too early."""
    for number in range(max(0, at - 3), min(len(lines), at + 4)):
        fragment = fragment_at(lines, number)
        if fragment is not None and not fragment.parses():
            return True
    return False


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
