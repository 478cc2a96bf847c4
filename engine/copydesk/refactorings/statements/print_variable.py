"""A print behind an assignment."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import rows, text_of


def print_variable(name: str, context: RefactoringContext) -> Edits | None:
    """Behind its only assignment."""
    given = context.walk("assignment", "augmented_assignment", "named_expression")
    mine = [n for n in given if (left := n.child_by_field_name("left")) is not None and text_of(left) == name]
    if len(mine) != 1 or mine[0].type != "assignment":
        return None
    statement = mine[0].parent
    if statement is None or statement.type != "expression_statement":
        return None
    behind = context.split(end_of(statement))[1]
    line = rows(statement)[1]
    commented = behind.strip() and not behind.lstrip().startswith("#")
    if not context.starts_line(statement) or not behind.endswith("\n") or commented:
        return None
    said = f"print({name})"
    if statement.next_named_sibling is not None and text_of(statement.next_named_sibling) == said:
        return ()
    return insert_lines(line + 1, [f"{context.indent(statement)}{said}\n"])


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for assignment in context.walk("assignment"):
        left = assignment.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            yield f'Print "{text_of(left)}" after its assignment', print_variable(text_of(left), context)


PRINT_VARIABLE = Refactoring("print_variable", "refactor.rewrite.printVariable", _propose)
