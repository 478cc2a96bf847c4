"""A long file as several shorter ones: its head with the imports, and runs of its top-level statements.

A page shows the import block and at most a few dozen lines, so of a file of thousands of lines an excerpt is seen the same way;
parsing it over and over for every example is what costs. Knows lines only: a cut inside a string leaves a text that does not
parse, and such texts give no examples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

LINES = 200
"""About so many lines has an excerpt; a single longer statement stays whole."""
LONGEST = 2500
"""A statement longer than this is left out."""

_TOP = re.compile(r"(?:async\s+def|def|class)\s+\w|@\w")
_METHOD = re.compile(r"(?: {4}|\t)(?:(?:async\s+def|def|class)\s+\w|@\w)")


def excerpts(text: str) -> list[str]:
    """The excerpts of `text`, in order; `text` itself where it is not much longer than one."""
    lines = text.split("\n")
    if len(lines) <= LINES * 3 // 2:
        return [text]
    tops = [k for k in range(1, len(lines)) if _TOP.match(lines[k]) and not lines[k - 1].strip()]
    if not tops or tops[0] > LINES:
        return [text] if len(lines) <= LONGEST else []
    head = lines[: tops[0]]
    groups: list[list[str]] = [[]]
    for start, stop in pairwise([*tops, len(lines)]):
        if groups[-1] and len(groups[-1]) + stop - start > LINES:
            groups.append([])
        groups[-1] += lines[start:stop]
    return ["\n".join([*head, *group]).rstrip() + "\n" for group in groups if len(group) <= LONGEST]


def excerpt_round(lines: Sequence[str], first: int, stop: int) -> list[tuple[int, int]]:
    """The parts of a file to keep of which lines[first:stop] are to be seen, in order: its head, and the statements round these
    lines, LINES of them or a little more; of a longer class its own head and the methods round them. Empty where none are.
    """
    if len(lines) <= LINES * 3 // 2:
        return [(0, len(lines))]
    tops = [k for k in range(1, len(lines)) if _TOP.match(lines[k]) and not lines[k - 1].strip()]
    if not tops or tops[0] > LINES:
        return []
    if stop <= tops[0]:
        return [(0, tops[0])]
    parts = [(0, tops[0])]
    start, end = _neighbours([*tops, len(lines)], first, stop)
    if end - start > LINES * 2:
        methods = [k for k in range(start + 1, end) if _METHOD.match(lines[k]) and not lines[k - 1].strip()]
        if not methods or first < methods[0]:
            return []
        parts.append((start, methods[0]))
        start, end = _neighbours([*methods, end], first, stop)
    parts.append((start, end))
    return parts if first >= start and sum(b - a for a, b in parts) <= LINES * 3 else []


def _neighbours(cuts: Sequence[int], first: int, stop: int) -> tuple[int, int]:
    """The run between two cuts round lines[first:stop], as long as LINES allows; before and behind in turn."""
    low = max((k for k, cut in enumerate(cuts) if cut <= first), default=0)
    high = min((k for k, cut in enumerate(cuts) if cut >= stop and k > low), default=len(cuts) - 1)
    while True:
        grown = [(a, b) for a, b in ((low - 1, high), (low, high + 1)) if a >= 0 and b < len(cuts)]
        grown = [(a, b) for a, b in grown if cuts[b] - cuts[a] <= LINES]
        if not grown:
            return cuts[low], cuts[high]
        low, high = min(grown, key=lambda g: abs((first - cuts[g[0]]) - (cuts[g[1]] - stop)))
