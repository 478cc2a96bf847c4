"""A lambda that is given a name as a function of its own."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows, text_of


def _to_function(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "expression_statement"):
        only = node.named_children[0] if node.named_child_count == 1 else None
        if only is None or only.type != "assignment":
            continue
        left, right = only.child_by_field_name("left"), only.child_by_field_name("right")
        if left is None or right is None or left.type != "identifier" or right.type != "lambda":
            continue
        given, body = right.child_by_field_name("parameters"), right.child_by_field_name("body")
        if body is None:
            continue
        name, indent = text_of(left), context.indent(node)
        parameters = text_of(given) if given is not None else ""
        value = text_of(body)
        returned = f"return {value}" if "\n" not in value else f"return {' '.join(value.split())}"
        lines = [f"{indent}def {name}({parameters}):\n", f"{indent}    {returned}\n"]
        yield f"Make {name} a function, def instead of lambda", replace_lines(*rows(node), lines)


LAMBDA_TO_FUNCTION = Refactoring(
    "lambda_to_function", "refactor.rewrite.lambdaToFunction", _to_function, everywhere=True
)
