"""What a bare `except` may catch (E722): what is usually caught, or what this document catches and raises elsewhere.

No types are looked at, so an exception may be named that is never raised there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, line_changes
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import advised_exception
from copydesk.request import Diagnostic
from copydesk.text.document import content

MOST_NAMES = 12
"""Exceptions of the document that are offered, those nearest to the handler."""

_BARE = re.compile(r"(\s*except)\s*(?=:)")
_STILL_BARE = re.compile(r"\bexcept\s*(\\\s*)?:")
_CAUGHT = re.compile(r"\s*except\s+(\([\w\s.,]+\)|[\w.]+)\s*(?:as\s+\w+\s*)?:")
_RAISED = re.compile(r"\s*raise\s+((?:[a-z_]\w*\.)*[A-Z]\w*)\b")


class BareExcept(Handler):
    """The `except` with each exception it may name."""

    kinds = frozenset({DiagnosticKind.BARE_EXCEPT})

    def candidates(self, context: FixContext) -> Candidates | None:
        return line_changes(context, _named(context.diagnostic, context.lines))

    def still_applies(self, context: FixContext) -> bool:
        return _STILL_BARE.search(context.statement()) is not None


def _named(diagnostic: Diagnostic, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The changes (1-based line, text) of the bare `except` the diagnostic is about."""
    first, last = diagnostic.lines
    for number in range(first - 1, min(last, first + 3, len(lines))):
        text = content(lines[number])
        bare = _BARE.match(text)
        if bare is None:
            continue
        advised = advised_exception(diagnostic.message)
        names = [advised] if advised is not None else _names(lines, number)
        for name in names:
            yield number + 1, f"{bare.group(1)} {name}{text[bare.end() :]}"
        return


def _names(lines: Sequence[str], at: int) -> list[str]:
    """The names that may stand behind the `except` on line `at`; never one that a handler above it has caught."""
    depth = _depth(lines[at])
    before: set[str] = set()
    for k in range(at - 1, -1, -1):
        text = content(lines[k])
        if not text.strip() or _depth(text) > depth:
            continue
        match = _CAUGHT.match(text)
        if match is None or _depth(text) < depth:
            break
        before.update((match.group(1), *re.findall(r"[\w.]+", match.group(1))))
    others: dict[str, int] = {}
    for number, line in enumerate(lines):
        found = _CAUGHT.match(line) or _RAISED.match(line)
        if found is not None:
            name = found.group(1)
            others[name] = min(others.get(name, len(lines)), abs(number - at))
    near = sorted(others, key=lambda name: (others[name], name))
    return [
        name
        for name in dict.fromkeys(("Exception", "BaseException", *near[:MOST_NAMES]))
        if name not in before and "\n" not in name
    ]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
