"""A long file as several shorter ones: its head with the imports, and runs of its top-level statements.

A page shows the import block and at most a few dozen lines, so of a file of thousands of lines an excerpt is seen the same way;
parsing it over and over for every example is what costs. Knows lines only: a cut inside a string leaves a text that does not
parse, and such texts give no examples.
"""

from __future__ import annotations

import re
from itertools import pairwise

LINES = 200
"""About so many lines has an excerpt; a single longer statement stays whole."""
LONGEST = 2500
"""A statement longer than this is left out."""

_TOP = re.compile(r"(?:async\s+def|def|class)\s+\w|@\w")


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
