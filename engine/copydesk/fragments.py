r"""The piece of Python round a line that can be parsed by itself, and again with one of its lines changed.

A repair is tried dozens of times, so what is parsed is the function or the top-level statement the line is in, not the file.
Knows CPython's own parser; nothing of diagnostics.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.document import content

NEAR = 12
LONGEST = 100
"""Lines of a fragment; what is longer is not parsed dozens of times."""
_BLOCK = re.compile(r"(?:async\s+)?def\s|class\s|@")
_GOES_ON = re.compile(r"(?:else|elif|except|finally|case)\b|[)\]}]")


@dataclass(frozen=True, slots=True)
class Fragment:
    """Lines `first` to `stop` (0-based, exclusive), parsed behind `header`, which makes their depth legal."""

    lines: tuple[str, ...]
    first: int
    stop: int
    header: str

    def parses(self, number: int | None = None, text: str = "") -> bool:
        """Whether it parses, with line `number` (0-based in the document) written as `text`."""
        lines = list(self.lines)
        if number is not None:
            lines[number - self.first] = text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(self.header + "\n".join(lines) + "\n")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        return True


def fragment_at(lines: Sequence[str], at: int) -> Fragment | None:
    """The smallest function or top-level statement round line `at`, or where that is too long the lines near it at least as
    deep as some line above; None where there is none.
    """
    if not 0 <= at < len(lines):
        return None
    above = _above(lines, at)
    limit = _depth(lines[at]) if content(lines[at]).strip() else 1 << 30
    found: Fragment | None = None
    for first in range(at, max(-1, at - LONGEST), -1):
        text = content(lines[first])
        indent = _depth(text)
        # A head right above may be as deep as the line: then its body is what lacks indentation.
        encloses = indent < limit or (indent == limit and first in (at, above))
        if not encloses or not _begins(text) or (indent and _BLOCK.match(text, indent) is None):
            continue
        limit = min(limit, indent)
        start = _decorated(lines, first) if indent else _earlier(lines, first)
        stop = _end(lines, at, indent)
        if stop - start > LONGEST:
            break
        found = _fragment(lines, start, stop, indent)
        # A function is enough, unless the line is its own head: then what stands above may be to blame.
        if not indent or first < at:
            return found
    return found or _nearby(lines, at)


def _fragment(lines: Sequence[str], start: int, stop: int, indent: int) -> Fragment:
    shown = tuple(content(line) for line in lines[start:stop])
    return Fragment(shown, start, stop, "if 1:\n" if indent else "")


def _nearby(lines: Sequence[str], at: int) -> Fragment | None:
    """The lines from the least deep one a little above to the next less deep one."""
    first, least = None, 1 << 30
    for number in range(at, max(-1, at - NEAR), -1):
        text = content(lines[number])
        if _begins(text) and _depth(text) <= least:
            first, least = number, _depth(text)
    if first is None:
        return None
    stop = next(
        (
            n
            for n in range(at + 2, min(len(lines), at + NEAR))
            if _begins(lines[n]) and _depth(lines[n]) <= least
        ),
        min(len(lines), at + NEAR),
    )
    return _fragment(lines, first, stop, least)


def _begins(line: str) -> bool:
    """Whether a line may begin a statement, as far as one can tell from the line alone."""
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#") and not _GOES_ON.match(stripped)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _above(lines: Sequence[str], at: int) -> int:
    """The line of code above."""
    return next(
        (n for n in range(at - 1, -1, -1) if lines[n].strip() and not lines[n].lstrip().startswith("#")), at
    )


def _decorated(lines: Sequence[str], first: int) -> int:
    while first and lines[first - 1].lstrip().startswith("@"):
        first -= 1
    return first


def _earlier(lines: Sequence[str], first: int) -> int:
    """The line at depth 0 before this one, if it is near: an unclosed bracket there is reported here."""
    for number in range(first - 1, max(-1, first - 1 - NEAR), -1):
        if _begins(lines[number]) and not _depth(lines[number]):
            return _decorated(lines, number)
    return _decorated(lines, first)


def _end(lines: Sequence[str], at: int, indent: int) -> int:
    """The line behind the block at `indent`: the first less deep, or as deep and beginning something new; the next line left
    out, which may be part of what is wrong, and what decorators stand on.
    """
    for number in range(at + 2, min(len(lines), at + LONGEST)):
        line = lines[number]
        if (
            not line.strip()
            or line.lstrip().startswith("#")
            or lines[_above(lines, number)].lstrip().startswith("@")
        ):
            continue
        if _depth(line) < indent or (_depth(line) == indent and _begins(line)):
            return number
    return min(len(lines), at + LONGEST)
