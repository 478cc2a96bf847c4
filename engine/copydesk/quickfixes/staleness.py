r"""Whether a diagnostic can still be true of the lines it points at: editors keep findings after the code has moved on.

Only what can be seen on the spot counts: a text that parses has no syntax error, a statement without the name cannot misuse
it. Where nothing can be seen the diagnostic is believed. Knows Python and wordings; nothing of pages or models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from copydesk.quickfixes.scope import is_syntax_error, names_undefined
from copydesk.request import Diagnostic
from copydesk.syntax.fragment import error_line, fragment_at, statement_at
from copydesk.text.document import content

MOST_PARSED = 3000
"""Lines; a syntax error in a longer file is believed."""
FAR_BELOW = 12
"""So many lines above the first error of a file that does not parse, it parses."""

_BEYOND_GRAMMAR = re.compile(
    r"outside|nonlocal|global|duplicate|__debug__|future|await|async|yield|keyword argument|encod|python 3|starred"
    r"|type (comment|signature|ignore)|type: ?ignore|comment|multiple assignments|patterns? unreachable",
    re.IGNORECASE,
)
"""Syntax errors that CPython's grammar alone does not see."""
_UNDEFINED = re.compile(r"undefined|not defined|cannot access local|referenced before", re.IGNORECASE)
_QUOTED = re.compile(r"[`'\"]([^`'\"]+)[`'\"]")
_MISSING_MEMBER = re.compile(
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
_DEFAULT = r"=\s*(?!=|(?:None|True|False|-?\d[\w.]*|[rbfuRBFU]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*'))\s*(?:[,)]|$))"
"""A default that is more than a constant."""

_SEEN: tuple[tuple[frozenset[str], re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (frozenset(codes.split()), re.compile(message, re.IGNORECASE), re.compile(statement, re.DOTALL))
    for codes, message, statement in (
        ("E711", r"comparison to `?None\b|^use `is (not )?None` instead", r"[=!]=\s*\(*None\b|\bNone\)*\s*[=!]="),
        ("E712", r"comparisons? to `?(True|False)\b", r"[=!]=\s*\(*(True|False)\b|\b(True|False)\)*\s*[=!]="),
        ("C0121 singleton-comparison", r"^comparison '.*' should be '",
         r"[=!]=\s*\(*(None|True|False)\b|\b(None|True|False)\)*\s*[=!]="),
        ("E713", r"^(E713 )?test for membership", r"(?<!is\s)\bnot\b(?!\s+in\b).*\bin\b"),
        ("E714", r"^(E714 )?test for object identity", r"(?<!is\s)\bnot\b.*\bis\b"),
        ("C0117 unnecessary-negation", r"^consider changing \"not ", r"(?<!is\s)\bnot\b(?!\s+in\b)"),
        ("E721", r"for type comparisons|do not compare types", r"\btypes?\b.*[=!]=|[=!]=.*\btypes?\b|dtype"),
        ("C0123 unidiomatic-typecheck", r"isinstance\(\) rather than type\(\)", r"\btype\b"),
        ("E722 W0702 bare-except", r"bare [`']?except|^no exception type", r"\bexcept\s*(\\\s*)?:"),
        ("F541 W1309 f-string-without-interpolation",
         r"f-string (is missing|without any) placeholders|f-string that does not have any interpolated",
         r"(?<!\w)(?:[fF][rR]?|[rR][fF])[\"']"),
        ("B006 W0102 dangerous-default-value",
         r"mutable (data structures|default)|dangerous default value", rf"\bdef\b.*{_DEFAULT}|^(?!.*\bdef\b)"),
    )
)  # fmt: skip
_ON_THE_LINE: tuple[tuple[frozenset[str], re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (frozenset(codes.split()), re.compile(message, re.IGNORECASE), re.compile(line))
    for codes, message, line in (
        ("W291", r"^(W291 )?trailing whitespace", r"\s$"),
        ("W293", r"blank line contains whitespace", r"^\s+$"),
        ("C0303 trailing-whitespace", r"^trailing whitespace", r"\s$"),
    )
)
_SELF_CODES = frozenset(
    {"N805", "E0213", "E0211", "no-self-argument", "no-method-argument", "reportSelfClsParameterName"}
)
_TAKES_NONE = re.compile(r"\b(\w+)\(\) takes 0 positional arguments")
_FIRST_IS_SELF = re.compile(r"\s*(?:async\s+)?def\s+\w+\s*(?:\[[^\]]*\])?\(\s*self\b")


def holds(diagnostic: Diagnostic, lines: Sequence[str], language: str) -> bool:
    """False where the lines show that the diagnostic is out of date. Raises: never."""
    first, last = diagnostic.lines
    if language != "python" or not 0 < first <= len(lines):
        return True  # whether it lies in the document is for the scope to say
    last = min(last, len(lines))
    if is_syntax_error(diagnostic):
        return _unparsable(diagnostic, lines, first - 1)
    message = diagnostic.message
    for codes, words, line in _ON_THE_LINE:
        if diagnostic.code in codes or words.search(message):
            return any(line.search(content(text)) for text in lines[first - 1 : last])
    seen = _seen(diagnostic)
    return seen is None or seen(statement_at(lines, first - 1, last - 1))


def _seen(diagnostic: Diagnostic) -> Callable[[str], bool] | None:
    """Whether a statement shows what the diagnostic is about; None where no statement does."""
    message = diagnostic.message
    if names_undefined(diagnostic):
        name = _QUOTED.search(message)
        if name is None or not name.group(1).isidentifier() or not _UNDEFINED.search(message):
            return None
        return lambda text: _used(name.group(1), text)
    for pattern in (_MISSING_MEMBER, _UNUSED_NAME):
        found = pattern.search(message)
        if found is not None:
            word = next(filter(None, found.groups()))
            return lambda text: re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
    none = _TAKES_NONE.search(message)
    if none is not None:
        return lambda text: re.match(rf"\s*(?:async\s+)?def\s+{none.group(1)}\s*\(\s*self\b", text) is None
    if diagnostic.code in _SELF_CODES:
        return lambda text: _FIRST_IS_SELF.match(text) is None
    for codes, words, statement in _SEEN:
        if diagnostic.code in codes or words.search(message):
            return lambda text: statement.search(text) is not None
    return None


def _used(name: str, text: str) -> bool:
    """Whether the statement may use the name: not only as an attribute, nor only to name an argument."""
    return any(
        text[: match.start()].rstrip()[-1:] not in ("(", ",")
        or not re.match(r"\s*=[^=}!:]", text[match.end() :])
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
    )


def _unparsable(diagnostic: Diagnostic, lines: Sequence[str], at: int) -> bool:
    """Whether the text may still not parse there."""
    if _BEYOND_GRAMMAR.search(diagnostic.message) or len(lines) > MOST_PARSED:
        return True
    error = error_line("\n".join(map(content, lines)) + "\n")
    if error is None:
        return False
    fragment = fragment_at(lines, at)
    return error <= at + FAR_BELOW or fragment is None or not fragment.parses()
