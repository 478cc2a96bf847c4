"""A file's change as an edit of one function or class, in an excerpt of the file.

A change is kept where both texts parse, at most three small hunks differ, and one function or class holds them all. Imports
that were added with it count as there already. Of a long file an excerpt is left: its head and the statements round the change.
Knows texts; nothing of git or subjects.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random

from copydesk.request import Range
from copydesk.text.document import split_lines
from copydesk_training.excerpts import excerpt_round

MOST_HUNKS = 3
MOST_LINES = 10
"""Lines a hunk may take away, and lines it may bring."""
MOST_DIFFERING = 300
"""Lines between the first and the last change; beyond, comparing takes too long."""
SHORT = 20
"""A function of at most so many lines is often selected whole."""

Hunk = tuple[int, int, int, int]
"""old[i:j] became new[k:m]."""
_IMPORT = re.compile(r"(?:from\s+[\w.]+\s+)?import\s|\s*$")


@dataclass(frozen=True, slots=True)
class BlockChange:
    """`hunks` lie in lines `block` of `before` (1-based inclusive): the innermost function or class, decorators included."""

    before: str
    after: str
    hunks: tuple[Hunk, ...]
    block: Range
    name: str

    @property
    def removed(self) -> list[str]:
        """The lines each hunk takes away, as one text each."""
        lines = split_lines(self.before)
        return ["".join(lines[i:j]) for i, j, _, _ in self.hunks]

    @property
    def added(self) -> list[str]:
        lines = split_lines(self.after)
        return ["".join(lines[k:m]) for _, _, k, m in self.hunks]


def block_change(before: str, after: str) -> BlockChange | None:
    """What changed, or None where it is no small change of one function or class."""
    old, new = split_lines(before), split_lines(after)
    found = differing(old, new, MOST_DIFFERING)
    if not 1 <= len(found) <= MOST_HUNKS + 2:
        return None
    imports = [h for h in found if h[0] == h[1] and all(map(_IMPORT.match, new[h[2] : h[3]]))]
    hunks = [h for h in found if h not in imports]
    small = all(max(j - i, m - k) <= MOST_LINES for i, j, k, m in hunks)
    if not 1 <= len(hunks) <= MOST_HUNKS or not small or any(h[0] > hunks[0][0] for h in imports):
        return None
    if imports:
        for i, _, k, m in reversed(imports):
            old[i:i] = new[k:m]
        shift = sum(m - k for _, _, k, m in imports)
        hunks = [(i + shift, j + shift, k, m) for i, j, k, m in hunks]
    parts = excerpt_round(old, hunks[0][0], max(hunks[-1][1], hunks[-1][0] + 1))
    return _in_excerpt(old, new, hunks, parts) if parts else None


def _in_excerpt(
    old: Sequence[str], new: Sequence[str], hunks: Sequence[Hunk], parts: Sequence[tuple[int, int]]
) -> BlockChange | None:
    before: list[str] = []
    after: list[str] = []
    moved: list[Hunk] = []
    for start, stop in parts:
        at = start
        for i, j, k, m in hunks:
            if start <= i and j <= stop and not (i == stop and i != len(old)):
                before += old[at:i]
                after += old[at:i]
                moved.append((len(before), len(before) + j - i, len(after), len(after) + m - k))
                before += old[i:j]
                after += new[k:m]
                at = j
        before += old[at:stop]
        after += old[at:stop]
    texts = "".join(before), "".join(after)
    trees = parsed(texts[0]), parsed(texts[1])
    if len(moved) != len(hunks) or trees[0] is None or trees[1] is None:
        return None
    block = _innermost(trees[0], moved, after)
    return BlockChange(*texts, tuple(moved), *block) if block else None


def _innermost(tree: ast.Module, hunks: Sequence[Hunk], after: Sequence[str]) -> tuple[Range, str] | None:
    found: tuple[Range, str] | None = None
    below: Sequence[ast.stmt] = tree.body
    while True:
        for node in below:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                last = node.end_lineno or node.lineno
                if all(_inside(hunk, first, last, node.col_offset, after) for hunk in hunks):
                    found, below = ((first, last), node.name), node.body
                    break
        else:
            return found


def _inside(hunk: Hunk, first: int, last: int, column: int, after: Sequence[str]) -> bool:
    i, j, k, m = hunk
    if i < j:
        return first <= i + 1 and j <= last
    deeper = all(len(line) - len(line.lstrip()) > column for line in after[k:m] if line.strip())
    return first <= i <= last and (i < last or deeper)


def selection(change: BlockChange, rng: Random) -> Range:
    """The lines a person would select for it: the whole function if it is short, or the change with lines round it.

    Never the changed lines alone, as long as the function has others.
    """
    first, last = change.block
    top = min(i + 1 if i < j else i for i, j, _, _ in change.hunks)
    bottom = max(j if i < j else i + 1 for i, j, _, _ in change.hunks)
    if rng.random() < (0.6 if last - first < SHORT else 0.15 if last - first < 2 * SHORT else 0.0):
        return min(first, top), max(last, bottom)
    above, below = rng.choice(((1, 1), (1, 3), (3, 1), (2, 2), (4, 2), (2, 5), (5, 5), (0, 3), (3, 0)))
    low, high = max(first, top - above), min(max(last, bottom), bottom + below)
    if (low, high) == (top, bottom):
        low, high = max(first, low - 2), min(max(last, bottom), high + 2)
    return min(low, top), high


def differing(old: Sequence[str], new: Sequence[str], most: int) -> list[Hunk]:
    """Changed runs old[i:j] → new[k:m]; none where more than `most` lines lie between the first and the last."""
    least = min(len(old), len(new))
    head = next((k for k in range(least) if old[k] != new[k]), least)
    tail = next((k for k in range(least - head) if old[-1 - k] != new[-1 - k]), least - head)
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(a), len(b)) > most:
        return []
    found = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [(i + head, j + head, k + head, m + head) for tag, i, j, k, m in found if tag != "equal"]


def parsed(text: str) -> ast.Module | None:
    """The tree of `text`, None where it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
