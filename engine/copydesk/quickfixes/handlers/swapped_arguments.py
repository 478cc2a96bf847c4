"""Arguments in the wrong order (W1114): two of one call in each other's place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind

FARTHEST = 3
"""Arguments that change places are at most so many apart."""


class SwappedArguments(Handler):
    """The line with each two arguments swapped, neighbours first."""

    kinds = frozenset({DiagnosticKind.SWAPPED_ARGUMENTS})

    def candidates(self, context: FixContext) -> Candidates | None:
        return rewritten_lines(context, _swapped)

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has a call with several arguments."""
        statement = context.statement()
        return "(" in statement and "," in statement


def _swapped(text: str) -> Iterator[str]:
    groups = list(_arguments(text))
    for apart in range(1, FARTHEST + 1):
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
