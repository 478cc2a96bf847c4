"""A guard that returns early, in place of nesting."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import movable, returns_value
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines
from copydesk.refactorings.negation import opposite
from copydesk.syntax.splice import start_of
from copydesk.syntax.tree import rows, text_of


def return_early(context: RefactoringContext) -> Edits | None:
    """A function that ends in an `if` returns instead where the condition does not hold, and the rest moves left."""
    function = context.function()
    block = function.child_by_field_name("body") if function is not None else None
    if function is None or block is None or not block.named_children:
        return None
    node = block.named_children[-1]
    if node.type != "if_statement" or node.children_by_field_name("alternative") or not context.has(node):
        return None
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    turned = opposite(test) if test is not None else None
    if body is None or test is None or turned is None or returns_value(block):
        return None
    first, last = rows(node)
    (head,) = context.view(first, first)
    indent = context.indent(node)
    inner = context.split(start_of(body))[0] if body.start_point[0] >= first else ""
    lines = context.view(first + 1, last)
    step = inner[len(indent) :]
    if head.strip() != f"if {text_of(test)}:" or not step or inner.strip() or not movable(node, lines, step):
        return None
    left = [line[len(step) :] if line.strip() else line for line in lines]
    return replace_lines(first, last, [f"{indent}if {turned}:\n", f"{indent}{step}return\n", *left])


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    yield "Return early", return_early(context)


GUARD_CLAUSE = Refactoring("guard_clause", "refactor.rewrite.guardClause", _propose, menu="cursor")
