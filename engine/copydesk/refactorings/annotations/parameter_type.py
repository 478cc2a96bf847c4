"""The annotation of a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import literal_type
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at, replace_node, replace_span
from copydesk.refactorings.parameters import parameter_of, plain_names
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import text_of


def annotate_parameter(name: str, type: str | None, context: RefactoringContext) -> Edits | None:
    """type: None for that of the default."""
    parameter = parameter_of(context, name)
    if parameter is None:
        return None
    said, default = (parameter.child_by_field_name(field) for field in ("type", "value"))
    if type is None:
        type = literal_type(text_of(default)) if default is not None else None
        if type is None:
            return () if said is not None else None
    if not context.knows(type, type=True):
        return None
    if said is not None:
        return replace_node(context.lines, said, type)
    if parameter.type == "identifier":
        return insert_at(context.lines, end_of(parameter), f": {type}")
    left = parameter.child_by_field_name("name")
    if left is None or default is None:
        return None
    return replace_span(context.lines, end_of(left), start_of(default), f": {type} = ")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for name in plain_names(context):
        yield f'Annotate "{name}" with the type of its default', annotate_parameter(name, None, context)
        for type in arguments.types:
            yield f'Annotate "{name}" as "{type}"', annotate_parameter(name, type, context)


PARAMETER_TYPE = Refactoring("parameter_type", "refactor.rewrite.parameterType", _propose, menu="cursor")
