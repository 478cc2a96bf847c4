"""The statements of an import block, and the place where a new one would be sorted: the orders of isort and ruff for Python."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from copydesk.request import Range
from copydesk.text.document import content

FUTURE, STANDARD, OTHERS, OWN = range(4)
_STATEMENT = re.compile(r"(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b|import[ \t]+([\w.]+))")
_FROM = re.compile(r"(from[ \t]+[\w.]+[ \t]+import[ \t]+)([\w, \t]+?)([ \t]*(?:\#.*)?)$")


@dataclass(frozen=True, slots=True)
class ImportLine:
    """One statement on lines first..last (1-based). plain: `import module`, not `from module import …`."""

    module: str
    plain: bool
    first: int
    last: int
    name: str = ""
    """The first name it imports."""

    @classmethod
    def of(cls, statement: str, at: int) -> ImportLine:
        """The statement that a text begins with, on line `at`."""
        match = _STATEMENT.match(statement)
        assert match is not None, "no import statement"
        return cls(
            match.group(1) or match.group(2),
            match.group(2) is not None,
            at,
            at,
            _first_name(statement[match.end() :]),
        )

    @property
    def section(self) -> int:
        """Which of isort's sections it belongs to, as far as the statement alone shows."""
        root = self.module.split(".")[0]
        if not root:
            return OWN
        return FUTURE if root == "__future__" else STANDARD if root in sys.stdlib_module_names else OTHERS


@dataclass(frozen=True, slots=True)
class Place:
    """Before line `line`, with this many blank lines before and after."""

    line: int
    before: int = 0
    behind: int = 0


def import_lines(lines: Sequence[str], block: Range) -> list[ImportLine]:
    """The statements at module level inside `block`."""
    found: list[ImportLine] = []
    number = block[0]
    while number <= block[1]:
        text = content(lines[number - 1])
        match = _STATEMENT.match(text)
        last = number
        if match is not None:
            depth = _opened(text)
            while last < block[1] and (depth > 0 or text.rstrip().endswith("\\")):
                last += 1
                text = content(lines[last - 1])
                depth += _opened(text)
            found.append(replace(ImportLine.of(content(lines[number - 1]), number), last=last))
        number = last + 1
    return found


def _first_name(listed: str) -> str:
    found = re.match(r"[ \t(]*(\w+)", listed)
    return found.group(1) if found is not None else ""


def _opened(text: str) -> int:
    code = text.split("#")[0]
    return code.count("(") - code.count(")")


def _by_kind(line: ImportLine) -> tuple[Any, ...]:
    return not line.plain, line.module.lower(), _by_type(line.name)


def _by_module(line: ImportLine) -> tuple[Any, ...]:
    return line.module.lower(), _by_type(line.name)


def places(
    new: ImportLine, have: Sequence[ImportLine], lines: Sequence[str], block: Range
) -> Iterator[Place]:
    """Where `new` may go, the likeliest place first; all are inside `block` or at its edges."""
    if not have:
        yield Place(block[0])
        if block[0] > 1 and lines[block[0] - 2].strip():
            yield Place(block[0], before=1)
        return
    same = [line for line in have if line.section == new.section]
    if same:
        kept = [(_disorder(have, order), order) for order in (_by_kind, _by_module)]
        least = min(disorder for disorder, _ in kept)
        yield from dict.fromkeys(_among(new, same, order) for disorder, order in kept if disorder == least)
        return
    above = [line for line in have if line.section < new.section]
    if not above:
        yield from (Place(have[0].first), Place(have[0].first, behind=1))
        return
    previous = above[-1]
    following = next((line for line in have if line.first > previous.last), None)
    if following is None:
        yield from (Place(previous.last + 1), Place(previous.last + 1, before=1))
        return
    gap = following.first - previous.last - 1
    if gap == 0 or lines[previous.last].strip():
        yield Place(following.first)
    elif gap == 1:
        yield from (Place(following.first, behind=1), Place(following.first), Place(previous.last + 1))
    else:
        yield Place(previous.last + 2)


def _disorder(have: Sequence[ImportLine], order: Callable[[ImportLine], tuple[Any, ...]]) -> int:
    """How many neighbours in one section are in the wrong order."""
    return sum(a.section == b.section and order(a) > order(b) for a, b in pairwise(have))


def _among(
    new: ImportLine, same: Sequence[ImportLine], order: Callable[[ImportLine], tuple[Any, ...]]
) -> Place:
    at = next((k for k, line in enumerate(same) if order(line) > order(new)), len(same))
    if at == len(same):
        return Place(same[-1].last + 1)
    # Between two groups it joins the one of its own kind.
    if at and same[at].plain != new.plain:
        return Place(same[at - 1].last + 1)
    return Place(same[at].first)


def with_name(text: str, name: str) -> str | None:
    """The line `from x import a, c` with `name` added in the order of its names; None for a line of another form."""
    match = _FROM.match(text)
    if match is None:
        return None
    head, listed, tail = match.groups()
    names = [item.strip() for item in listed.split(",")]
    if not all(names):
        return None
    for key in (_by_type, str.lower, str):
        keys = [key(item.split()[0]) for item in names]
        if keys == sorted(keys):
            at = next((k for k, other in enumerate(keys) if other > key(name)), len(names))
            break
    else:
        at = len(names)
    return head + ", ".join([*names[:at], name, *names[at:]]) + tail


def _by_type(name: str) -> str:
    """Constants, then classes, then the rest, as isort orders names by default."""
    kind = "0" if name.isupper() and len(name) > 1 else "1" if name[:1].isupper() else "2"
    return kind + name
