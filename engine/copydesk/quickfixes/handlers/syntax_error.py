r"""The single changes after which a text that does not parse does: one token put in, taken out or exchanged, or another
indentation of one line.

Which changes are tried, and where first, is read from what the message speaks of; what stays is what parses.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, line_changes
from copydesk.quickfixes.kinds import NAME_KINDS, DiagnosticKind
from copydesk.quickfixes.messages import SyntaxHint, syntax_hints
from copydesk.quickfixes.similarity import distance
from copydesk.syntax.fragment import PAIRS, Fragment, error_line, fragment_at
from copydesk.text.document import content, indentation

MOST_READ = 6000
"""Lines that are parsed to find the repairs of one syntax error, again and again."""
REACH = 6
"""Lines above and below an error where what is missing may belong."""

MOST_PARSED = 3000
"""Lines; a syntax error in a longer file is believed."""
FAR_BELOW = 12
"""So many lines above the first error of a file that does not parse, it parses."""
_PIECE = re.compile(r"\s+|[^\W\d]\w*|\d[\w.]*|\*\*=?|//=?|[-+*/%&|^=!<>:]=|->|.", re.DOTALL)
_JOINT = re.compile(r"(?<=[\w)\]}\"'*])(?=\s*(?:$|\#|[\w(\[{\"'*./-]))(?<!\w(?=\w))")
"""Where two operands meet, or a line ends."""
_KEYWORDS = tuple(word for word in keyword.kwlist if word[0].islower())

Change = tuple[int, str]
"""A line (0-based) and what it becomes."""


class UnparsableText(Handler):
    """The changes of one line that make the text parse."""

    kinds = frozenset({DiagnosticKind.SYNTAX_ERROR, *NAME_KINDS})

    def candidates(self, context: FixContext) -> Candidates | None:
        return line_changes(context, syntax_repairs(context))

    def still_applies(self, context: FixContext) -> bool:
        """While the text may still not parse there."""
        lines, at = context.lines, context.diagnostic.start.line
        if context.kind is not DiagnosticKind.SYNTAX_ERROR or len(lines) > MOST_PARSED:
            return True
        if SyntaxHint.BEYOND_GRAMMAR in syntax_hints(context.diagnostic.message):
            return True
        error = error_line("\n".join(map(content, lines)) + "\n")
        if error is None:
            return False
        fragment = fragment_at(lines, at)
        return error <= at + FAR_BELOW or fragment is None or not fragment.parses()


def syntax_repairs(context: FixContext) -> Iterator[tuple[int, str]]:
    """The changes of one line (1-based) that make what is round the diagnostic parse, likeliest places first; none where it
    parses.
    """
    lines, at = context.lines, context.diagnostic.start.line
    fragment = fragment_at(lines, at)
    if fragment is None or fragment.parses():
        return
    # A tool that reads on behind the error takes a misspelt keyword for an undefined name.
    misread = context.kind is not DiagnosticKind.SYNTAX_ERROR
    hints = syntax_hints(context.diagnostic.message)
    changes = _each(lines, [at], _words) if misread else _changes(hints, lines, at, fragment)
    read = 0
    seen: set[Change] = set()
    for change in changes:
        number, text = change
        if not fragment.first <= number < fragment.stop or text == content(lines[number]) or change in seen:
            continue
        seen.add(change)
        read += len(fragment.lines) + 10
        if read > MOST_READ:
            return
        if fragment.parses(number, text):
            yield number + 1, text


def _changes(hints: SyntaxHint, lines: Sequence[str], at: int, fragment: Fragment) -> Iterator[Change]:
    """What is worth trying for a syntax error at line `at`, by what the message speaks of."""
    above = next((k for k in range(at - 1, -1, -1) if content(lines[k]).strip()), at)
    below = next((k for k in range(at + 1, len(lines)) if content(lines[k]).strip()), at)
    near = list(dict.fromkeys((at, above, below)))
    own = fragment.own if lines[fragment.own].lstrip()[0] not in PAIRS else 0  # else it began further up
    upward = range(at - 1, max(own, at - REACH) - 1, -1)
    downward = range(at + 1, min(len(lines), at + REACH))
    wide = [at, *downward, *upward] if SyntaxHint.OPEN_BRACKET in hints else [at, *upward, *downward]
    if above not in wide:
        wide.append(above)
    if SyntaxHint.INDENT in hints:
        several = [at, *(k for k in range(at - 1, max(-1, at - REACH), -1) if content(lines[k]).strip())][:4]
        yield from _each(lines, [*several, below], lambda text: _indents(text, lines, at))
        return
    if SyntaxHint.QUOTE in hints:
        yield from _each(lines, [at], _quotes)
        return
    excess = fragment.excess()
    depths = dict.fromkeys(indentation(lines[k]) for k in (fragment.own, at, above))

    def brackets(text: str) -> Iterable[str]:
        return _brackets(text, excess, depths)

    if SyntaxHint.COLON in hints:
        yield from _each(lines, near[:2], _colons)
        yield from _each(lines, near[:2], _words)
        yield from _each(lines, near[:2], _comparisons)
    if SyntaxHint.COMMA in hints and not any(excess.values()):
        yield from _each(lines, wide if SyntaxHint.OPEN_BRACKET in hints else near[:2], _commas)
    if SyntaxHint.BRACKET in hints:
        yield from _each(lines, wide, brackets)
    yield from _each(lines, near, _words)
    if not any(excess.values()):
        yield from _each(lines, near[:2], _commas if at > fragment.own else lambda text: _commas(text, 0))
        yield from _each(lines, near[:2], _comparisons)
        yield from _each(lines, near[:2], _headed)
    yield from _each(lines, wide, brackets)
    yield from _each(lines, near, lambda text: _indents(text, lines, at))


def _each(
    lines: Sequence[str], numbers: Iterable[int], edits: Callable[[str], Iterable[str]]
) -> Iterator[Change]:
    for number in numbers:
        for text in edits(content(lines[number])):
            yield number, text


def _inserted(text: str, places: Iterable[int], marks: Iterable[str]) -> Iterator[str]:
    marks = tuple(marks)
    for place in places:
        for mark in marks:
            yield text[:place] + mark + text[place:]


def _pieces(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _PIECE.finditer(text) if not match.group().isspace()]


def _colons(text: str) -> Iterator[str]:
    return _inserted(text, [end for _, end in reversed(_pieces(text))], ":")


def _headed(text: str) -> Iterator[str]:
    """A colon at the end of the code."""
    code = text.rstrip() if "#" not in text else re.sub(r"\s*#[^'\"]*$", "", text)
    yield code + ":" + text[len(code) :]


def _commas(text: str, open_before: int = 1) -> Iterator[str]:
    """A comma where brackets are open, `open_before` of them at the line's begin."""
    for match in reversed(list(_JOINT.finditer(text))):
        before = text[: match.start()]
        if open_before + sum(before.count(mark) - before.count(end) for end, mark in PAIRS.items()) > 0:
            yield before + "," + text[match.start() :]


def _brackets(text: str, excess: dict[str, int], depths: Iterable[str]) -> Iterator[str]:
    """One bracket more, one less, or another, as `excess` of opening ones asks; on an empty line one at one of `depths`."""
    closing = [mark for mark, opening in PAIRS.items() if excess[opening] > 0]
    surplus = [mark for mark, opening in PAIRS.items() if excess[opening] < 0]
    opening = [PAIRS[mark] for mark in surplus]
    if not text.strip():
        yield from (depth + mark for depth in depths for mark in closing)
        return
    if closing and surplus:  # of the wrong kind, at one end
        for k in range(len(text) - 1, -1, -1):
            wanted = closing if text[k] in surplus else opening if text[k] in map(PAIRS.get, closing) else ()
            yield from (text[:k] + mark + text[k + 1 :] for mark in wanted)
        return
    for k in range(len(text) - 1, -1, -1):
        if text[k] in surplus or text[k] in map(PAIRS.get, closing):
            yield text[:k] + text[k + 1 :]
    pieces = _pieces(text)
    yield from _inserted(text, [end for _, end in reversed(pieces)], closing)
    starts = [len(depth) for depth in depths if text.startswith(depth) and not text[: len(depth)].strip()]
    yield from _inserted(text, dict.fromkeys((pieces[0][0], *starts)), closing)
    edges = dict.fromkeys(edge for piece in pieces for edge in piece)
    yield from _inserted(text, edges, opening)


def _quotes(text: str) -> Iterator[str]:
    """A quote more, at the edge of a word."""
    marks = [mark for mark in "\"'" if text.count(mark) % 2] or ["'", '"']
    places = sorted(
        {m.end() for m in re.finditer(r"[\w.!?:%}>/-]+|[^\w\s]", text)}
        | {m.start() for m in re.finditer(r"\S", text)}
    )
    for mark in marks:
        yield from _inserted(text, places, mark)


def _words(text: str) -> Iterator[str]:
    """A misspelt keyword."""
    for match in re.finditer(r"[^\W\d]\w*", text):
        word = match.group()
        if keyword.iskeyword(word):
            continue
        far = ((distance(word, good), good) for good in _KEYWORDS)
        near = sorted((apart, good) for apart, good in far if apart <= (2 if len(good) > 3 else 1))
        for _, good in near[:3]:
            yield text[: match.start()] + good + text[match.end() :]


def _comparisons(text: str) -> Iterator[str]:
    """`==` for `=`."""
    for match in re.finditer(r"(?<![=!<>:+\-*/%&|^@])=(?!=)", text):
        yield text[: match.start()] + "==" + text[match.end() :]


def _indents(text: str, lines: Sequence[str], at: int) -> Iterator[str]:
    """The depths that lines round it have, and one step deeper than each."""
    body = text.lstrip()
    if not body:
        return
    depths = {indentation(line) for line in lines[max(0, at - 12) : at + 8] if line.strip()}
    own = indentation(text)
    unit = "\t" if any(depth.startswith("\t") for depth in depths) else "    "
    deeper = {depth + unit for depth in depths}
    for depth in sorted(depths | deeper, key=lambda d: (abs(len(d) - len(own)), d)):
        yield depth + body
