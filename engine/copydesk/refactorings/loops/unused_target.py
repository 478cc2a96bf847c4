"""A loop over pairs one half of which nobody reads: over the other half alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.expressions import children_of, single_line
from copydesk.refactorings.loops.loop_head import names_in, read_behind
from copydesk.syntax.tree import identifiers, is_label, text_of

_ITEMS = re.compile(r"(.+)\.items\(\)")
_ENUMERATED = re.compile(r"enumerate\(([\w.]+)\)")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for head in context.walk("for_statement", "for_in_clause"):
        left, right = head.child_by_field_name("left"), head.child_by_field_name("right")
        halves = (
            children_of(left) if left is not None and left.type in ("pattern_list", "tuple_pattern") else []
        )
        if left is None or right is None or len(halves) != 2 or not single_line(left):
            continue
        for unread, kept, ways in zip(halves, reversed(halves), _ways(text_of(right)), strict=False):
            if not _is_read(head, unread):
                for over in ways:
                    dropped = "enumerate" if text_of(right).startswith("enumerate") else "items()"
                    title = (
                        f"Loop over {over} alone, without {dropped}: {text_of(unread)} is not used, unused"
                    )
                    yield title, replace_nodes(context.lines, [(left, text_of(kept)), (right, over)])


def _ways(over: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What gives the second half, and what the first."""
    if (items := _ITEMS.fullmatch(over)) is not None:
        return (f"{items[1]}.values()",), (items[1], f"{items[1]}.keys()")
    if (counted := _ENUMERATED.fullmatch(over)) is not None:
        return (counted[1],), (f"range(len({counted[1]}))",)
    return (), ()


def _is_read(head: Node, target: Node) -> bool:
    """Whether what a loop gives a part of its target is read anywhere."""
    whole = head if head.type == "for_statement" else head.parent
    names = names_in(target)
    inside = [n for n in identifiers(whole) if text_of(n) in names and not is_label(n)] if whole else []
    return len(inside) != len(names) or (head.type == "for_statement" and read_behind(head, target))


UNUSED_TARGET = Refactoring("unused_target", "refactor.rewrite.unusedTarget", _propose)
