"""A value by a conditional expression, or by an `if` with an `else`."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    else_line,
    has_comment,
    lead_and_value,
    selected_statements,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows, text_of

_LOOSE = ("conditional_expression", "lambda", "named_expression", "yield", "expression_list")


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
        middle, (first, last) = else_line(context, node), rows(node)
        test, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if middle is None or test is None or last - first != 3 or has_comment(context, first, last):
            continue
        one = statements_of(body)
        two = statements_of(node.children_by_field_name("alternative")[0].child_by_field_name("body"))
        if len(one) != 1 or len(two) != 1 or test.type in _LOOSE:
            continue
        found, other = lead_and_value(one[0]), lead_and_value(two[0])
        if found is None or other is None or found[0] != other[0]:
            continue
        if found[1].type in _LOOSE or other[1].type in _LOOSE:
            continue
        line = f"{found[0]}{text_of(found[1])} if {text_of(test)} else {text_of(other[1])}"
        yield f"Contract to {line}", replace_lines(first, last, [f"{context.indent(node)}{line}\n"])


CONDITIONAL_TO_IF = Refactoring(
    "conditional_to_if", "refactor.rewrite.conditionalToIf", _to_if, menu="cursor"
)
IF_TO_CONDITIONAL = Refactoring(
    "if_to_conditional", "refactor.rewrite.ifToConditional", _to_expression, menu="cursor"
)
