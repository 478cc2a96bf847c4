"""One more field of a dataclass, behind another one."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import following, stands_alone
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("assignment"):
        statement = node.parent
        block = statement.parent if statement is not None else None
        of = block.parent if block is not None else None
        if (
            statement is None
            or of is None
            or of.type != "class_definition"
            or not stands_alone(context, statement)
        ):
            continue
        below = following(statement)
        if node.child_by_field_name("type") is None or (
            below is not None and ":" in text_of(below).partition("=")[0]
        ):
            continue
        for field in arguments.pairs:
            if field.partition(":")[0].strip().isidentifier():
                line = f"{context.indent(statement)}{field}\n"
                yield f"Add field {field}", insert_lines(rows(statement)[1] + 1, [line])


ADD_FIELD = Refactoring("add_field", "refactor.rewrite.addField", _propose)
