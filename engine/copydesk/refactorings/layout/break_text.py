"""A long text as two, one below the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import rewrite_node
from copydesk.refactorings.expressions import single_line
from copydesk.syntax.tree import text_of

_WORDS = frozenset({"line", "lines", "split", "break", "wrap", "long", "two", "half", "shorter", "width"})
_TEXT = re.compile(r"([rRbBuUfF]*)([\"'])(.*)\2")
_SHORTEST = 40
"""Characters of a text that is broken."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("string") if arguments.words & _WORDS else ():
        found, parent = _TEXT.fullmatch(text_of(node)), node.parent
        if found is None or parent is None or not single_line(node) or found[3].startswith(found[2] * 2):
            continue
        at = _middle(found[3])
        if (
            len(found[3]) < _SHORTEST
            or at is None
            or parent.type in ("expression_statement", "concatenated_string")
        ):
            continue
        prefix, mark, text = found[1], found[2], found[3]
        halves = f"{prefix}{mark}{text[:at]}{mark}", f"{prefix}{mark}{text[at:]}{mark}"
        indent = context.indent(node)
        inner, outer = f"\n{indent}    ", f"\n{indent}"
        made = f"{inner}{halves[0]}{inner}{halves[1]}{outer}"
        alone = parent.type == "argument_list" and parent.named_child_count == 1
        put = rewrite_node(context.lines, parent if alone else node, f"({made})")
        yield f"Break the long text, string, over two lines: {halves[0]}", put


def _middle(text: str) -> int | None:
    """Behind the blank that is nearest to the middle, in no placeholder."""
    depth, places = 0, []
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == " " and depth <= 0:
            places.append(at + 1)
    return min(places, key=lambda at: abs(at - len(text) / 2), default=None)


BREAK_TEXT = Refactoring("break_text", "refactor.rewrite.breakText", _propose)
