"""No `else` behind a branch that leaves."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import body_lines, else_line, movable, shifted, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows

JUMPS = ("return_statement", "raise_statement", "continue_statement", "break_statement")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        middle, lines = else_line(context, node), body_lines(context, node, "consequence")
        body = statements_of(node.child_by_field_name("consequence"))
        if middle is None or lines is None or not body or body[-1].type not in JUMPS:
            continue
        last = rows(node)[1]
        rest = context.view(middle + 1, last)
        if movable(node.children_by_field_name("alternative")[0], rest, context.indent(node) + "    "):
            yield (
                'Remove "else" after ' + body[-1].type.partition("_")[0],
                replace_lines(middle, last, shifted(rest, -4)),
            )


ELSE_AFTER_RETURN = Refactoring(
    "else_after_return", "refactor.rewrite.elseAfterReturn", _propose, menu="cursor"
)
