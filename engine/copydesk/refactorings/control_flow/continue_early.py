"""A loop whose body is one `if` goes on instead where the condition does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import body_lines, is_plain_if, movable, shifted
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.negation import opposite


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("for_statement", "while_statement"):
        block = loop.child_by_field_name("body")
        node = block.named_children[-1] if block is not None and block.named_children else None
        if node is None or not is_plain_if(context, node):
            continue
        test, lines = node.child_by_field_name("condition"), body_lines(context, node, "consequence")
        turned = opposite(test) if test is not None else None
        if lines is None or turned is None:
            continue
        indent, body = context.indent(node), context.view(*lines)
        if movable(node, body, indent + "    "):
            head = [f"{indent}if {turned}:\n", f"{indent}    continue\n"]
            yield "Continue early", replace_lines(lines[0] - 1, lines[1], [*head, *shifted(body, -4)])


CONTINUE_EARLY = Refactoring("continue_early", "refactor.rewrite.continueEarly", _propose, menu="cursor")
