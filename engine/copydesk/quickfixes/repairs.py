r"""What a flagged line may become, where a diagnostic leaves finitely many ways: the model chooses among repairs instead of
writing one.

A text that does not parse becomes one that does, by one token put in, taken out or exchanged, or by another indentation;
a coroutine is awaited; a method gets its `self`; arguments change places; an operator becomes the one the rule asks for; white
space goes. Every repair is one whole line. Knows Python and text; nothing of tokens, pages or models.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from copydesk.quickfixes.handlers.bare_except import handled
from copydesk.quickfixes.handlers.syntax_error import syntax_repairs
from copydesk.quickfixes.scope import is_syntax_error, names_undefined
from copydesk.request import Diagnostic, Range
from copydesk.syntax.fragment import statement_at
from copydesk.text.document import content

MOST_KEPT = 40


@dataclass(frozen=True, slots=True)
class Repair:
    """Line `line` (1-based) becomes `text` (without terminator)."""

    line: int
    text: str


def repairs(
    diagnostic: Diagnostic, lines: Sequence[str], scope: Sequence[Range], language: str
) -> list[Repair]:
    """The repairs a diagnostic leaves inside `scope`, likeliest places first; empty where it does not narrow the edit.

    Raises: never.
    """
    if language != "python" or diagnostic.start.line >= len(lines):
        return []
    if is_syntax_error(diagnostic) or names_undefined(diagnostic):
        changes = syntax_repairs(diagnostic, lines)
        found: Iterable[Repair] = (Repair(number + 1, text) for number, text in changes)
    elif _SELF(diagnostic):
        found = _with_self(diagnostic, lines)
    elif _BARE(diagnostic):
        found = (Repair(number + 1, text) for number, text in handled(diagnostic, lines))
    else:
        rule = next((make for tells, make in _RULES if tells(diagnostic)), None)
        if rule is None:
            return []
        first, last = diagnostic.lines
        found = (
            Repair(number, text)
            for number in range(first, min(last, first + 3, len(lines)) + 1)
            for text in rule(content(lines[number - 1]))
        )
    kept: dict[Repair, None] = {}
    for repair in found:
        inside = any(s <= repair.line <= e for s, e in scope)
        if inside and repair.text != content(lines[repair.line - 1]):
            kept.setdefault(repair)
            if len(kept) == MOST_KEPT:
                break
    return list(kept)


# -- rules with a narrow way out -----------------------------------------------------------------------------------------

_CALL = re.compile(r"(?<![\w.])(?<!await )(?:[^\W\d]\w*\.)*[^\W\d]\w*\(")
_FSTRING = re.compile(r"(?<!\w)([rRbB]?)[fF]([rR]?)(?=[\"'])")
_PLAIN = re.compile(r"(?<![\w\"'])(?=[\"'])")
_DEF = re.compile(r"\s*(?:async\s+)?def\s+\w+\s*\(")
_SELVES = re.compile(r"\bdef\s+\w+\s*\(\s*(?:self|cls)\b")


def _awaited(text: str) -> Iterator[str]:
    for match in _CALL.finditer(text):
        if not keyword.iskeyword(match.group()[:-1]):
            yield f"{text[: match.start()]}await {text[match.start() :]}"


def _stripped(text: str) -> Iterator[str]:
    yield text.rstrip()


def _plain_strings(text: str) -> Iterator[str]:
    for match in _FSTRING.finditer(text):
        yield text[: match.start()] + match.group(1) + match.group(2) + text[match.end() :]


def _formatted(text: str) -> Iterator[str]:
    for match in _PLAIN.finditer(text):
        yield f"{text[: match.start()]}f{text[match.start() :]}"


def _is_none(text: str) -> Iterator[str]:
    for match in re.finditer(r"([=!])=(?=\s*None\b)", text):
        yield text[: match.start()] + ("is" if match.group(1) == "=" else "is not") + text[match.end() :]


def _is_type(text: str) -> Iterator[str]:
    """`isinstance`, or identity."""
    for match in re.finditer(r"type\(([^()]+)\)\s*(==|!=|is not|is)\s*([\w.]+)", text):
        value, operator, kind = match.groups()
        call = f"isinstance({value}, {kind})"
        yield (
            text[: match.start()]
            + (call if operator in ("==", "is") else f"not {call}")
            + text[match.end() :]
        )
    for match in re.finditer(r"([=!])=", text):
        yield text[: match.start()] + ("is" if match.group(1) == "=" else "is not") + text[match.end() :]


def _negations(text: str) -> Iterator[str]:
    for match in re.finditer(r"\bnot\s+", text):
        for operator in re.finditer(r"\s(in|is)\b", text[match.end() :]):
            at = match.end() + operator.start(1)
            word = operator.group(1)
            negated = "not in" if word == "in" else "is not"
            rest = text[at + len(word) :]
            yield text[: match.start()] + text[match.end() : at] + negated + rest
            if text[match.end() : match.end() + 1] == "(":
                inner = text[match.end() + 1 : at] + negated + rest
                closed = inner.rfind(")")
                if closed >= 0:
                    yield text[: match.start()] + inner[:closed] + inner[closed + 1 :]


def _with_self(diagnostic: Diagnostic, lines: Sequence[str]) -> Iterator[Repair]:
    """`self` as one more parameter, or in the first one's place. The head may be longer than a line."""
    at = diagnostic.start.line
    top = next((k for k in range(at, max(-1, at - 4), -1) if _DEF.match(lines[k])), None)
    if top is None or _SELVES.search(statement_at(lines, top, top)):
        return
    text = content(lines[top])
    match = _DEF.match(text)
    assert match is not None
    rest = text[match.end() :]
    if rest.strip():
        yield Repair(top + 1, text[: match.end()] + ("self" if rest.lstrip()[0] == ")" else "self, ") + rest)
        first = re.match(r"[^\W\d]\w*", rest)
        if first is not None:
            yield Repair(top + 1, text[: match.end()] + "self" + rest[first.end() :])
    elif top + 1 < len(lines):
        text = content(lines[top + 1])
        head = text[: len(text) - len(text.lstrip())]
        yield Repair(top + 2, f"{head}self,\n{text}")
        yield Repair(top + 2, f"{head}self, {text.lstrip()}")


def _swapped(text: str) -> Iterator[str]:
    """Two arguments of one call in each other's place, neighbours first."""
    groups = list(_arguments(text))
    for apart in (1, 2, 3):
        for spans in groups:
            for k in range(len(spans) - apart):
                (a, b), (c, d) = spans[k], spans[k + apart]
                if text[a:b] != text[c:d]:
                    yield text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _arguments(text: str) -> Iterator[list[tuple[int, int]]]:
    """The arguments of each pair of brackets on the line, white space at their ends left out; strings are skipped."""
    stack: list[tuple[int, list[int]]] = []
    for match in re.finditer(r"""(["'])(?:\\.|(?!\1).)*\1|[()\[\]{},]""", text):
        mark = match.group()
        if mark in ("(", "[", "{"):
            stack.append((match.start(), []))
        elif mark == "," and stack:
            stack[-1][1].append(match.start())
        elif mark in (")", "]", "}") and stack:
            begin, commas = stack.pop()
            edges = [begin, *commas, match.start()]
            spans = [_trimmed(text, a + 1, b) for a, b in pairwise(edges)]
            if text[begin] == "(" and len(spans) > 1 and all(a < b for a, b in spans):
                yield spans


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))


def _told(codes: str, pattern: str | None = None) -> Callable[[Diagnostic], bool]:
    known = frozenset(codes.split())
    words = re.compile(pattern, re.IGNORECASE) if pattern else None

    def tells(diagnostic: Diagnostic) -> bool:
        return diagnostic.code in known or (
            words is not None and words.search(diagnostic.message) is not None
        )

    return tells


_SELF = _told(
    "N805 E0213 E0211 no-self-argument no-method-argument reportSelfClsParameterName",
    r"forget the \"self\" argument|takes \d+ positional arguments? but \d+ (was|were) given",
)

_BARE = _told("E722 W0702 bare-except", r"bare [`']?except|^no exception type")

_RULES: tuple[tuple[Callable[[Diagnostic], bool], Callable[[str], Iterable[str]]], ...] = (
    (
        _told(
            "W291 W293 C0303 trailing-whitespace",
            r"^(W29[13] )?trailing whitespace|blank line contains whitespace",
        ),
        _stripped,
    ),
    (
        _told("reportUnusedCoroutine unused-coroutine", r"never awaited|missing `await`|use \"await\""),
        _awaited,
    ),
    (
        _told("F541 W1309 f-string-without-interpolation", r"f-string (is missing|without any) placeholders"),
        _plain_strings,
    ),
    (_told("RUF027", r"should be an f-string|missing `f` prefix"), _formatted),
    (_told("E711", r"comparison to `?None|instead of `[=!]= None|^Comparison '.*[=!]= None'"), _is_none),
    (
        _told("E721 C0123 unidiomatic-typecheck", r"do not compare types|isinstance\(\) rather than type"),
        _is_type,
    ),
    (
        _told(
            "E713 E714 C0117 unnecessary-negation",
            r"should be [`']?(not in|is not)\b|^Consider changing \"not ",
        ),
        _negations,
    ),
    (_told("W1114 arguments-out-of-order", r"out of order|look swapped|wrong order"), _swapped),
)
