"""What a last call gives back is returned, or no longer is."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of, next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows

_CALLS = ("call", "await")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement", "return_statement"):
        inside = node.named_child_count == 1 and node.named_children[0].type in _CALLS
        if not inside or function_of(node) is None or next_statement(node) is not None:
            continue
        (first, last), indent = rows(node), context.indent(node)
        head, *rest = context.view(first, last)
        if node.type == "expression_statement":
            line = f"{indent}return {head.lstrip()}"
            yield f"Return what it gives back: {named(node)}", replace_lines(first, last, [line, *rest])
        else:
            line = f"{indent}{head.lstrip().removeprefix('return').lstrip()}"
            yield (
                f"Return nothing, only call, without return: {named(node).removeprefix('return ')}",
                replace_lines(first, last, [line, *rest]),
            )


RETURN_CALL = Refactoring("return_call", "refactor.rewrite.returnCall", _propose)
