"""Another default for a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_node
from copydesk.refactorings.parameters import parameter_of, plain_names


def change_default(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """Of a parameter that has one."""
    parameter = parameter_of(context, name)
    default = parameter.child_by_field_name("value") if parameter is not None else None
    if default is None or not context.knows(value):
        return None
    return replace_node(context.lines, default, value)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for name in plain_names(context):
        for value in arguments.values:
            yield f'Change the default of "{name}" to {value}', change_default(name, value, context)


PARAMETER_DEFAULT = Refactoring("parameter_default", "refactor.rewrite.parameterDefault", _propose)
