"""A scope longer than a page as several scopes.

Cut between top-level statements, at blank lines where a language has no parser, anywhere within a statement that fits no page.
Knows lines and trees; nothing of pages but their length.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.request import Range
from copydesk.syntax.tree import parse, rows


def cut(lines: Sequence[str], scope: Range, longest: int, language: str) -> list[Range]:
    """`scope` as consecutive ranges of at most `longest` lines, as few as whole statements allow."""
    first, last = scope
    if last - first + 1 <= longest:
        return [scope]
    starts = [line for line in _starts(lines, language) if first < line <= last]
    pieces: list[Range] = []
    at = first
    while at <= last:
        end = min(last, at + longest - 1)
        if end < last:
            # The best place for the next piece to begin: a statement's start, else a line behind a blank one.
            fitting = [line for line in starts if at < line <= end + 1]
            blank = [line for line in range(at + 1, end + 2) if not lines[line - 2].strip()]
            end = (fitting or blank or [end + 1])[-1] - 1
        pieces.append((at, end))
        at = end + 1
    return pieces


def _starts(lines: Sequence[str], language: str) -> list[int]:
    """The first lines of top-level statements; comments right above one belong to it."""
    tree = parse(lines, language)
    if tree is None:
        return [n + 1 for n in range(1, len(lines)) if lines[n].strip() and not lines[n - 1].strip()]
    starts: list[int] = []
    for child in tree.root_node.children:
        line = rows(child)[0]
        while line > 1 and _is_comment(lines[line - 2]):
            line -= 1
        if not starts or line > starts[-1]:
            starts.append(line)
    return starts


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//"))
