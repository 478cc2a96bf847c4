"""Files of any length with one function in their middle, and edits of that function.

The rest of a file is functions of the standard library, in a fixed order: real code, and as much of it as a length needs. The
function and its edits are the same at every length, so that what grows is the file alone. Knows text; no tokens.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from copydesk.request import EditRequest, Range
from copydesk.text.document import split_lines

HEADER = "import os\nimport re\nimport sys\n\n\n"
TARGET = '''\
def summarise(rows, key, default=None):
    """Totals of `rows` by `key`, largest first."""
    totals = {}
    for row in rows:
        name = row.get(key, default)
        if name == None:
            continue
        amount = float(row["amount"])
        if name not in totals:
            totals[name] = 0.0
        totals[name] += amount
    ordered = sorted(totals.items(), key=lambda item: item[1], reverse=True)
    return ordered
'''
EDITS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "one word": ("compare with `is`", (("name == None", "name is None"),)),
    "two lines in": (
        "skip rows without an amount",
        (
            (
                "            continue\n",
                '            continue\n        if "amount" not in row:\n            continue\n',
            ),
        ),
    ),
    "three lines to one": (
        "use dict.get",
        (
            (
                "        if name not in totals:\n            totals[name] = 0.0\n        totals[name] += amount\n",
                "        totals[name] = totals.get(name, 0.0) + amount\n",
            ),
        ),
    ),
    "two places": (
        "compare with `is` and return ten at most",
        (("name == None", "name is None"), ("return ordered\n", "return ordered[:10]\n")),
    ),
}
"""Instruction, and what is replaced by what in `TARGET`."""
ONE_HUNK = "one word"
LENGTHS = (6, 40)
"""Lines of a function that is taken."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one file: exact texts, where the file may change, and what is asked."""

    name: str
    before: str
    after: str
    scope: Range
    request: EditRequest

    @property
    def old_lines(self) -> list[str]:
        """The scope as it is."""
        return split_lines(self.before)[self.scope[0] - 1 : self.scope[1]]

    @property
    def new_lines(self) -> list[str]:
        """The scope as it should be."""
        lines = split_lines(self.after)
        behind = len(split_lines(self.before)) - self.scope[1]
        return lines[self.scope[0] - 1 : len(lines) - behind]


def edits(lines: int, names: tuple[str, ...] = tuple(EDITS)) -> list[Edit]:
    """The edits of a file of about `lines` lines (as many as whole functions come to)."""
    head, tail = surroundings(lines)
    first = len(split_lines(head)) + 1
    scope = (first, first + len(split_lines(TARGET)) - 1)
    made = []
    for name in names:
        instruction, changes = EDITS[name]
        after = TARGET
        for old, new in changes:
            after = after.replace(old, new, 1)
        # What is timed is writing: nothing is chosen from a list.
        request = EditRequest(scope=[scope], instruction=instruction, narrow=False)
        made.append(Edit(name, head + TARGET + tail, head + after + tail, scope, request))
    return made


def surroundings(lines: int) -> tuple[str, str]:
    """The text before the function and behind it."""
    parts: list[list[str]] = [[], []]
    counts = [len(split_lines(HEADER)), 0]
    room = lines - len(split_lines(TARGET))
    for text in functions():
        size = len(split_lines(text)) + 2
        side = 0 if counts[0] + size / 2 <= room / 2 else 1
        if sum(counts) + size > room:
            if sum(counts) + LENGTHS[0] + 2 > room:
                break
            continue
        parts[side].append(text)
        counts[side] += size
    head = HEADER + "".join(f"{text}\n\n" for text in parts[0])
    return head, "".join(f"\n\n{text}" for text in parts[1])


def functions() -> Iterator[str]:
    """Top-level functions of the standard library, by module and place, never the same text twice."""
    seen: set[str] = set()
    for path in _modules():
        for text in _functions_of(path):
            if text not in seen:
                seen.add(text)
                yield text


@cache
def _modules() -> tuple[Path, ...]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    return tuple(path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_"))


@cache
def _functions_of(path: Path) -> tuple[str, ...]:
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError):
        return ()
    lines = split_lines(text)
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if LENGTHS[0] <= node.end_lineno - first + 1 <= LENGTHS[1]:
                found.append("".join(lines[first - 1 : node.end_lineno]))
    return tuple(found)
