"""One more condition for an `if` or a loop."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of

_LOOSE = ("conditional_expression", "lambda", "named_expression", "expression_list")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    extras = [value for value in arguments.values if context.knows(value)]
    for node in context.starting("if_statement", "elif_clause", "while_statement"):
        test = node.child_by_field_name("condition")
        if test is None or test.type in _LOOSE:
            continue
        operator = test.child_by_field_name("operator") if test.type == "boolean_operator" else None
        for extra in extras:
            for word in ("and", "or"):
                if word == "and" and operator is not None and text_of(operator) == "or":
                    continue
                title = f"Extend the condition {text_of(test)}: {word} {extra}"
                yield title, insert_at(context.lines, end_of(test), f" {word} {extra}")


ADD_CONDITION = Refactoring("add_condition", "refactor.rewrite.addCondition", _propose)
