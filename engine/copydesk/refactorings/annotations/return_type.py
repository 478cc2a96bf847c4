"""The annotation of what a function returns."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at, replace_node
from copydesk.syntax.splice import end_of


def annotate_return(type: str, context: RefactoringContext) -> Edits | None:
    """`-> type`, in place of another one where there is one."""
    function = context.function()
    parameters = function.child_by_field_name("parameters") if function is not None else None
    if function is None or parameters is None or not context.knows(type, type=True):
        return None
    said = function.child_by_field_name("return_type")
    if said is None:
        return insert_at(context.lines, end_of(parameters), f" -> {type}")
    return replace_node(context.lines, said, type)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for type in arguments.types:
        yield f'Annotate the return type as "{type}"', annotate_return(type, context)


RETURN_TYPE = Refactoring("return_type", "refactor.rewrite.returnType", _propose)
