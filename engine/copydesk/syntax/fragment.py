r"""The fragment of Python around a line that can be parsed by itself, and again with one of its lines changed.

A repair is tried dozens of times, so only a few statements are parsed and not the whole file: after block heads that make their
indentation legal, and with the handlers that a `try` needs where it was cut off. Where statements begin is determined from above,
where the text is still intact. The parser is CPython's own.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.text.document import content, indentation

ABOVE = 3
"""Statements included above the line's own."""
BELOW = 2
"""Lines of code below it that always belong to the fragment: the error may extend to them."""
LONG = 24
"""After this many lines a fragment may end inside the block it is about."""
LONGEST = 90
PAIRS = {")": "(", "]": "[", "}": "{"}
NEAR = 600
FAR = 1500
"""How many lines above are read to find where statements begin: always, and at most."""

_TOKEN = re.compile(
    r"""\#[^\n]*
    | \"{3}(?:[^"\\]|\\.|"(?!""))*\"{3} | '{3}(?:[^'\\]|\\.|'(?!''))*'{3}
    | \"{3} | '{3}
    | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?
    | [()\[\]{}\n] | \\\n""",
    re.VERBOSE | re.DOTALL,
)
_SURE = re.compile(
    r"\s*(?:(?:async\s+def|def|class|return|raise|import|while|with|assert|del|global|nonlocal)\s|from\s+[\w.]+\s+import\s"
    r"|(?:pass|break|continue|return|raise)\s*$|(?:try|else|finally)\s*:|except\b|@\w)"
)
"""Begins a statement, whatever brackets are open above it."""
_BLOCK = re.compile(r"(?:async\s+)?def\s|class\s")
_TEXT = re.compile(r"\s*[rRbBuU]{0,2}(?:\"{3}|'{3})")
_GOES_ON = re.compile(r"(?:else|elif|except|finally|case)\b|[)\]}]")
_HEADS = {
    "try": ("try:",),
    "match": ("match 1:",),
    "case": ("case 1:",),
    "else": ("try: pass", "except A: pass", "else:"),
    "except": ("try: pass", "except A:"),
    "finally": ("try: pass", "finally:"),
    "def": ("class A:",),
    "class": ("class A:",),
    "async": ("class A:",),
}
"""Replacements for the head of a block that encloses a fragment, by its first word: the same statements may follow them."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Lines `first` to `stop` (0-based, exclusive), between a `head` and a `tail` that are not in the document. The statement
    it is about begins at line `own`.
    """

    lines: tuple[str, ...]
    first: int
    own: int
    stop: int
    head: str
    tail: str

    def parses(self, number: int | None = None, text: str = "", count: int = 1) -> bool:
        """Whether it parses, with line `number` (0-based in the document), or `count` lines from there, written as `text`."""
        lines = list(self.lines)
        if number is not None:
            lines[number - self.first : number - self.first + count] = [text]
        return error_line(self.head + "\n".join([*lines, self.tail])) is None

    def excess(self) -> dict[str, int]:
        """How many more opening than closing brackets of each kind it has, by the opening one."""
        found = dict.fromkeys("([{", 0)
        for match in _TOKEN.finditer("\n".join(self.lines)):
            token = match.group()
            if token in found:
                found[token] += 1
            elif token in PAIRS:
                found[PAIRS[token]] -= 1
        return found


def error_line(text: str) -> int | None:
    """The 0-based line where CPython finds that `text` does not parse, or None. Raises: never."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return max(0, (error.lineno or 1) - 1)
    except (ValueError, RecursionError, MemoryError):
        return 0
    return None


def fragment_at(lines: Sequence[str], at: int, below: int = BELOW) -> Fragment | None:
    """The statement that contains line `at` and a few around it, with at least `below` lines of code below it; a part of a long
    one. None where there is none.
    """
    if not 0 <= at < len(lines):
        return None
    starts = _above(lines, at)
    if not starts:
        return None
    own = len(starts) - 1
    begin = own
    while begin > 0 and (own - begin < ABOVE or not _begins(lines[starts[begin]])):
        if starts[own] - starts[begin - 1] > LONG:
            break
        begin -= 1
    first = starts[begin]
    far = first + LONG if starts[own] == at else len(lines)  # never inside a statement of several lines
    stop = _stop(lines, at, _depth(lines[starts[own]]), far, below)
    if stop is None or stop - first > LONGEST:
        return None
    shown = tuple(content(line) for line in lines[first:stop])
    if begin and _TEXT.match(
        lines[starts[begin - 1]]
    ):  # a long docstring: the line below must have its indentation
        heads = _heads(lines, starts[: begin - 1], starts[begin - 1])
        heads.append(f"{indentation(lines[starts[begin - 1]])}0\n")
    else:
        heads = _heads(lines, starts[:begin], first)
    return Fragment(shown, first, starts[own], stop, "".join(heads), _tail([*heads, *shown], lines, stop))


def statement_at(lines: Sequence[str], first: int, last: int) -> str:
    """The text of the statements that contain lines `first` to `last` (0-based, inclusive)."""
    starts = _above(lines, first)
    begin = starts[-1] if starts else first
    below = _below(lines, starts[-1] if starts else first)
    stop = next((n for n in below if n > last), len(lines))
    return "\n".join(content(line) for line in lines[begin : max(stop, last + 1)])


# -- where statements begin ------------------------------------------------------------------------------------------------


def _above(lines: Sequence[str], at: int) -> list[int]:
    """The lines of code up to `at` that begin a statement, read from the first line, or in a long file from the second function
    or class above, since one such line may be in a docstring.
    """
    blocks = 0
    begin = max(0, at - FAR)
    for number in range(at - 1, begin, -1) if at > NEAR else ():
        if _BLOCK.match(lines[number]):
            blocks += 1
            if blocks == 2:
                begin = _decorated(lines, number)
                break
    return [begin + n for n in _starts(lines[begin : at + 1])]


def _below(lines: Sequence[str], at: int) -> list[int]:
    """The lines of code below `at` that begin a statement, if one begins at `at`, for a few screens."""
    return [at + n for n in _starts(lines[at : at + 3 * LONG]) if n]


def _starts(lines: Sequence[str]) -> list[int]:
    """Where statements begin if one begins with the first of `lines`. A bracket that was left open ends at a word that begins a
    statement, and at a line indented no more than the statement's own.
    """
    text = "\n".join(map(content, lines)) + "\n"
    found: list[int] = []
    number = depth = 0
    fresh = True
    if _coded(lines[0]):
        found.append(0)
    for match in _TOKEN.finditer(text):
        token = match.group()
        mark = token[0]
        if token in ('"""', "'''"):  # it ends out of sight
            break
        if token == "\n":
            number += 1
            if number >= len(lines):
                break
            fresh = depth == 0
            line = lines[number]
            if depth and (
                _SURE.match(line) or (found and _left(line) and _depth(line) <= _depth(lines[found[-1]]))
            ):
                depth, fresh = 0, True
            if fresh and _coded(line):
                found.append(number)
        elif mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth = max(0, depth - 1)
        elif mark != "#":
            number += token.count("\n")
    return found


def _coded(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and stripped[0] != "#"


def _left(line: str) -> bool:
    """Whether a line with little indentation shows that brackets above it were left open."""
    return _coded(line) and line.lstrip()[0] not in ")]}\"'"


def _begins(line: str) -> bool:
    """Whether a line of code begins a statement, and does not continue one of several blocks."""
    return _GOES_ON.match(line.lstrip()) is None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _decorated(lines: Sequence[str], first: int) -> int:
    while first and lines[first - 1].startswith("@"):
        first -= 1
    return first


# -- the edges of a fragment -----------------------------------------------------------------------------------------------


def _stop(lines: Sequence[str], at: int, depth: int, far: int, least: int) -> int | None:
    """The line after the fragment: one that begins a statement indented no more than any since that of line `at`, or, from line
    `far` on, no more than the one above it. None where there is none nearby.
    """
    above = at
    for seen, number in enumerate(_below(lines, at), 1):
        line = lines[number]
        if _TEXT.match(line):  # docstrings are left out
            return number
        if seen > least and _begins(line) and not lines[above].lstrip().startswith("@"):
            if _depth(line) <= depth or (number >= far and _depth(line) <= _depth(lines[above])):
                return number
        depth = min(depth, _depth(line))
        above = number
    return len(lines) if at + 3 * LONG >= len(lines) else None


def _heads(lines: Sequence[str], starts: Sequence[int], first: int) -> list[str]:
    """Heads of the blocks that contain line `first`, the outermost first."""
    found: list[str] = []
    depth = _depth(lines[first])
    for number in reversed(starts):
        line = content(lines[number])
        if depth == 0:
            break
        if _depth(line) < depth:
            depth = _depth(line)
            word = re.match(r"\w*", line[depth:])
            heads = _HEADS.get(word.group() if word is not None else "", ("if 1:",))
            found = [f"{line[:depth]}{head}\n" for head in heads] + found
    if depth:  # what encloses it is out of sight
        found.insert(0, "if 1:\n")
    return found


def _tail(shown: Sequence[str], lines: Sequence[str], stop: int) -> str:
    """A body for the last head, and handlers for every `try` in the fragment whose own come after its end."""
    body = indentation(lines[stop]) + "pass\n" if stop < len(lines) and _TEXT.match(lines[stop]) else ""
    tried: list[str] = []
    for line in shown:
        indent, code = indentation(line), line.lstrip()
        if re.match(r"try\s*:\s*$", code):
            tried.append(indent)
        elif tried and re.match(r"(?:except|finally)\b", code):
            tried = [other for other in tried if len(other) < len(indent)]
    behind = _depth(lines[stop]) if stop < len(lines) else 0
    return body + "".join(f"{indent}except A: pass\n" for indent in reversed(tried) if len(indent) < behind)
