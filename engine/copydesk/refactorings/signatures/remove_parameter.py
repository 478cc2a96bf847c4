"""A function without a parameter that it does not use."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines, replace_span
from copydesk.refactorings.parameters import name_of, parameters_of
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import identifiers, rows, text_of


def remove_parameter(name: str, context: RefactoringContext, *, lines: bool = False) -> Edits | None:
    """lines: also one that has a line of its own."""
    function, parameters = context.function(), parameters_of(context)
    body = function.child_by_field_name("body") if function is not None else None
    at = next((k for k, p in enumerate(parameters) if name_of(p) == name), None)
    if body is None:
        return None
    if at is None:
        return () if parameters else None
    alone = parameters[at - 1].type == "keyword_separator" and at + 1 == len(
        parameters
    )  # a star that names none
    if alone or any(text_of(node) == name for node in identifiers(body)):
        return None
    gone = parameters[at]
    begin, end = start_of(gone), end_of(gone)
    if at:
        begin = end_of(parameters[at - 1])
    elif len(parameters) > 1:
        end = start_of(parameters[1])
    if begin[0] == end[0]:
        return replace_span(context.lines, begin, end, "")
    first, last = rows(gone)
    joined = at and begin[0] + 2 == first == last and context.split(begin)[1].strip() == ","
    if not lines or not joined or not context.starts_line(gone):
        return None
    return replace_lines(first - 1, first, [context.split(begin)[0] + context.split(end_of(gone))[1]])


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for parameter in parameters_of(context):
        if (name := name_of(parameter)) not in ("", "self", "cls"):
            yield f'Remove parameter "{name}"', remove_parameter(name, context, lines=True)


REMOVE_PARAMETER = Refactoring("remove_parameter", "refactor.rewrite.removeParameter", _propose)
