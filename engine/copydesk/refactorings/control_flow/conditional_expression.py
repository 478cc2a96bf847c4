"""A value by a conditional expression, or by an `if` with an `else`."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import either_way, has_comment, lead_and_value, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import LOOSE
from copydesk.syntax.tree import rows, text_of

_LOOSE = (*LOOSE, "yield", "expression_list")


def _to_if(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        first, last = rows(node)
        if found is None or found[1].type != "conditional_expression" or first != last:
            continue
        lead, value = found
        if len(value.named_children) != 3:
            continue
        body, test, other = map(text_of, value.named_children)
        indent = context.indent(node)
        lines = [f"if {test}:", f"    {lead}{body}", "else:", f"    {lead}{other}"]
        yield (
            f"Expand {text_of(value)} to if/else",
            replace_lines(first, last, [f"{indent}{line}\n" for line in lines]),
        )


def _to_expression(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        found = either_way(context, node)
        if found is None or has_comment(context, *rows(node)) or any(n.type in _LOOSE for n in found[1:]):
            continue
        line = f"{found[0]}{text_of(found[1])} if {text_of(found[2])} else {text_of(found[3])}"
        yield f"Contract to {line}", replace_lines(*rows(node), [f"{context.indent(node)}{line}\n"])


CONDITIONAL_TO_IF = Refactoring(
    "conditional_to_if", "refactor.rewrite.conditionalToIf", _to_if, menu="cursor"
)
IF_TO_CONDITIONAL = Refactoring(
    "if_to_conditional", "refactor.rewrite.ifToConditional", _to_expression, menu="cursor"
)
