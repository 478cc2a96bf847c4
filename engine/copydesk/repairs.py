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

from copydesk.document import content
from copydesk.fragments import fragment_at
from copydesk.request import Diagnostic, Range
from copydesk.scope import is_syntax_error, names_undefined

MOST_READ = 9000
"""Lines that are parsed to find the repairs of one syntax error, again and again."""
MOST_KEPT = 40
REACH = 6
"""Lines below a bracket that is never closed where it may be closed."""


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
    if language != "python" or not 0 <= diagnostic.start.line < len(lines):
        return []
    if is_syntax_error(diagnostic) or names_undefined(diagnostic):
        found: Iterable[Repair] = _syntax(diagnostic, lines)
    else:
        rule = next((make for tells, make in _RULES if tells(diagnostic)), None)
        if rule is None:
            return []
        first, last = diagnostic.lines
        found = (
            Repair(number, text)
            for number in range(first, min(last, first + 3, len(lines)) + 1)
            for text in rule(content(lines[number - 1]), diagnostic if number == first else None)
        )
    kept: dict[Repair, None] = {}
    for repair in found:
        inside = any(s <= repair.line <= e for s, e in scope)
        if inside and repair.text != content(lines[repair.line - 1]):
            kept.setdefault(repair)
            if len(kept) == MOST_KEPT:
                break
    return list(kept)


# -- text that does not parse --------------------------------------------------------------------------------------------

_BRACKET = re.compile(
    r"was (?:never|not) closed|unmatched|does not match opening|[Ee]xpected [`'\"][)\]}]|found [`'\"][)\]}]"
)
_COLON = re.compile(r"expected [`'\"]?:", re.IGNORECASE)
_COMMA = re.compile(r"comma|[Ee]xpected [`'\"],|[\[({]\" was not closed")
_QUOTE = re.compile(r"unterminated|quote|literal is unterminated", re.IGNORECASE)
_INDENT = re.compile(r"indent", re.IGNORECASE)
_PIECE = re.compile(r"\s+|[^\W\d]\w*|\d[\w.]*|\*\*=?|//=?|[-+*/%&|^=!<>:]=|->|.", re.DOTALL)
_KEYWORDS = tuple(word for word in keyword.kwlist if word[0].islower())


def _syntax(diagnostic: Diagnostic, lines: Sequence[str]) -> Iterator[Repair]:
    at = diagnostic.start.line
    fragment = fragment_at(lines, at)
    if fragment is None or fragment.parses():
        return
    # A tool that reads on behind the error takes a misspelt keyword for a name nobody knows.
    misread = not is_syntax_error(diagnostic)
    edits = _each(lines, [at], _words) if misread else _edits(diagnostic.message, lines, at)
    tried = 0
    seen: set[Repair] = set()
    for number, text in edits:
        if not fragment.first <= number - 1 < fragment.stop or text == content(lines[number - 1]):
            continue
        repair = Repair(number, text)
        if repair in seen:
            continue
        seen.add(repair)
        tried += len(fragment.lines) + 10
        if tried > MOST_READ:
            return
        if fragment.parses(number - 1, text):
            yield repair


def _edits(message: str, lines: Sequence[str], at: int) -> Iterator[tuple[int, str]]:
    """Single changes worth trying for a syntax error at line `at` (0-based), by what the message speaks of."""
    above = next((k for k in range(at - 1, -1, -1) if content(lines[k]).strip()), at)
    below = next((k for k in range(at + 1, len(lines)) if content(lines[k]).strip()), at)
    near = list(dict.fromkeys((at, above, below)))
    if _INDENT.search(message):
        yield from _each(lines, near, lambda text: _indents(text, lines, at))
        return
    if _QUOTE.search(message):
        yield from _each(lines, near[:1], _quotes)
        return
    if _COLON.search(message):
        yield from _each(lines, near[:2], _colons)
        yield from _each(lines, near[:2], _words)
        yield from _each(lines, near[:2], _comparisons)
    if _COMMA.search(message):
        yield from _each(lines, near[:1], _commas)
    if _BRACKET.search(message):
        reach = range(at, min(len(lines), at + REACH))
        yield from _each(
            lines, list(dict.fromkeys((*reach, above))), lambda text: _brackets(text, content(lines[at]))
        )
    yield from _each(lines, near, _words)
    yield from _each(lines, near[:2], _colons)
    yield from _each(lines, near[:2], _commas)
    yield from _each(lines, near[:2], _comparisons)
    yield from _each(lines, near[:2], lambda text: _brackets(text, content(lines[at])))
    yield from _each(lines, near[:2], _quotes)
    yield from _each(lines, near, lambda text: _indents(text, lines, at))


def _each(
    lines: Sequence[str], numbers: Sequence[int], edits: Callable[[str], Iterable[str]]
) -> Iterator[tuple[int, str]]:
    for number in numbers:
        for text in edits(content(lines[number])):
            yield number + 1, text


def _cuts(text: str) -> list[int]:
    """Where a token may be put in: behind every token but white space, the last first."""
    ends = [match.end() for match in _PIECE.finditer(text) if not match.group().isspace()]
    return ends[::-1]


def _inserted(text: str, marks: str) -> Iterator[str]:
    for place in _cuts(text):
        for mark in marks:
            yield text[:place] + mark + text[place:]


def _colons(text: str) -> Iterator[str]:
    return _inserted(text, ":")


def _commas(text: str) -> Iterator[str]:
    return _inserted(text, ",")


def _brackets(text: str, flagged: str) -> Iterator[str]:
    """One bracket more, one less, or another; a line of its own is as deep as the flagged one."""
    if not text.strip():
        depth = flagged[: len(flagged) - len(flagged.lstrip())]
        yield from (depth + mark for mark in ")]}")
        return
    head = len(text) - len(text.lstrip())
    yield from (text[:head] + mark + text[head if head else 1 :] for mark in ")]}" if text[:1] in ("", " "))
    balance = {pair: text.count(pair[0]) - text.count(pair[1]) for pair in ("()", "[]", "{}")}
    closing = "".join(pair[1] for pair, more in balance.items() if more > 0)
    opening = "".join(pair[0] for pair, more in balance.items() if more < 0)
    for k in range(len(text) - 1, -1, -1):
        if text[k] in "()[]{}":
            yield text[:k] + text[k + 1 :]
            for other in ")]}" if text[k] in ")]}" else "":
                yield text[:k] + other + text[k + 1 :]
    yield from _inserted(text, closing or ")]}")
    starts = [match.start() for match in _PIECE.finditer(text) if not match.group().isspace()]
    for place in (*starts, *_cuts(text)):
        for mark in opening:
            yield text[:place] + mark + text[place:]


def _quotes(text: str) -> Iterator[str]:
    """A quote more, at the edge of a word."""
    marks = [mark for mark in "\"'" if text.count(mark) % 2] or ["'", '"']
    places = sorted(
        {m.end() for m in re.finditer(r"[\w.!?:%}>/-]+|[^\w\s]", text)}
        | {m.start() for m in re.finditer(r"\S", text)}
    )
    for mark in marks:
        for place in places:
            yield text[:place] + mark + text[place:]


def _words(text: str) -> Iterator[str]:
    """A misspelt keyword."""
    for match in re.finditer(r"[^\W\d]\w+", text):
        word = match.group()
        if keyword.iskeyword(word):
            continue
        near = sorted(
            (distance, good)
            for good in _KEYWORDS
            if (distance := _distance(word, good)) <= (2 if len(good) > 3 else 1)
        )
        for _, good in near[:3]:
            yield text[: match.start()] + good + text[match.end() :]


def _distance(a: str, b: str) -> int:
    """Damerau's and Levenshtein's distance (adjacent letters may change places), or 9 where lengths rule out 2."""
    if abs(len(a) - len(b)) > 2:
        return 9
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            best = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def _comparisons(text: str) -> Iterator[str]:
    """`==` for `=`."""
    for match in re.finditer(r"(?<![=!<>:+\-*/%&|^@])=(?!=)", text):
        yield text[: match.start()] + "==" + text[match.end() :]


def _indents(text: str, lines: Sequence[str], at: int) -> Iterator[str]:
    """The depths that lines round it have, and one step deeper than each."""
    body = text.lstrip()
    if not body:
        return
    near = [content(line) for line in lines[max(0, at - 12) : at + 8]]
    depths = {line[: len(line) - len(line.lstrip())] for line in near if line.strip()}
    own = text[: len(text) - len(body)]
    unit = "\t" if any(depth.startswith("\t") for depth in depths) else "    "
    deeper = {depth + unit for depth in depths}
    for depth in sorted(depths | deeper, key=lambda d: abs(len(d) - len(own))):
        yield depth + body


# -- rules with a narrow way out -----------------------------------------------------------------------------------------

_CALL = re.compile(r"(?<![\w.])(?<!await )(?:[^\W\d]\w*\.)*[^\W\d]\w*\(")
_FSTRING = re.compile(r"(?<!\w)([rRbB]?)[fF]([rR]?)(?=[\"'])")
_PLAIN = re.compile(r"(?<![\w\"'])(?=[\"'])")
_NEGATED = re.compile(r"\bnot\s+(\(?)(.+?)(\s+)(in|is)\b")


def _awaited(text: str, _: Diagnostic | None) -> Iterator[str]:
    for match in _CALL.finditer(text):
        if not keyword.iskeyword(match.group()[:-1]):
            yield f"{text[: match.start()]}await {text[match.start() :]}"


def _stripped(text: str, _: Diagnostic | None) -> Iterator[str]:
    yield text.rstrip()


def _plain_strings(text: str, _: Diagnostic | None) -> Iterator[str]:
    for match in _FSTRING.finditer(text):
        yield text[: match.start()] + match.group(1) + match.group(2) + text[match.end() :]


def _formatted(text: str, _: Diagnostic | None) -> Iterator[str]:
    for match in _PLAIN.finditer(text):
        yield f"{text[: match.start()]}f{text[match.start() :]}"


def _is_none(text: str, _: Diagnostic | None) -> Iterator[str]:
    for match in re.finditer(r"([=!])=(?=\s*None\b)", text):
        yield text[: match.start()] + ("is" if match.group(1) == "=" else "is not") + text[match.end() :]


def _is_type(text: str, _: Diagnostic | None) -> Iterator[str]:
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


def _negations(text: str, _: Diagnostic | None) -> Iterator[str]:
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


def _with_self(text: str, diagnostic: Diagnostic | None) -> Iterator[str]:
    match = re.match(r"\s*(?:async\s+)?def\s+\w+\s*\(", text)
    if match is None:
        if diagnostic is not None:  # the first parameter, on a line of its own
            head = text[: len(text) - len(text.lstrip())]
            yield f"{head}self, {text.lstrip()}"
            yield f"{head}self,\n{text}"
        return
    rest = text[match.end() :]
    yield text[: match.end()] + ("self" if rest.lstrip().startswith(")") else "self, ") + rest
    first = re.match(r"[^\W\d]\w*", rest)
    if first is not None:
        yield text[: match.end()] + "self" + rest[first.end() :]


def _swapped(text: str, _: Diagnostic | None) -> Iterator[str]:
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


_RULES: tuple[tuple[Callable[[Diagnostic], bool], Callable[[str, Diagnostic | None], Iterable[str]]], ...] = (
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
    (
        _told(
            "N805 E0213 E0211 no-self-argument no-method-argument reportSelfClsParameterName",
            r"forget the \"self\" argument|takes 0 positional arguments but 1 was given",
        ),
        _with_self,
    ),
    (_told("W1114 arguments-out-of-order", r"out of order|look swapped|wrong order"), _swapped),
)
