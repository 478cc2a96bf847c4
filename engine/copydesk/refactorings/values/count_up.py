"""A number that is counted up and not only set, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, function_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import children_of
from copydesk.syntax.tree import text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement"):
        only, sides = children_of(node)[0], assigned(node)
        if sides is not None and text_of(sides[1]) == "1" and _starts_at_zero(node, text_of(sides[0])):
            name = text_of(sides[0])
            title = f"Count them: {name} += 1 instead of just {name} = 1"
            yield title, replace_node(context.lines, only, f"{name} += 1")
        elif only.type == "augmented_assignment" and text_of(only).endswith("+= 1"):
            left = only.child_by_field_name("left")
            if left is not None and left.type == "identifier":
                name = text_of(left)
                title = f"Do not count, just 1: {name} = 1 instead of {name} += 1"
                yield title, replace_node(context.lines, only, f"{name} = 1")


def _starts_at_zero(node: Node, name: str) -> bool:
    """Whether the function gives a variable 0 before."""
    waiting = [function_of(node)]
    while waiting:
        one = waiting.pop()
        if one is None or one.start_byte >= node.start_byte:
            continue
        sides = assigned(one)
        if sides is not None and text_of(sides[0]) == name and text_of(sides[1]) == "0":
            return sides[0].type == "identifier"
        waiting += one.named_children
    return False


COUNT_UP = Refactoring("count_up", "refactor.rewrite.countUp", _propose)
