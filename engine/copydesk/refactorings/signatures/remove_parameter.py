"""Remove parameter: one that the function does not use, or one and what passes it on or asks about it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, replace_lines, replace_span
from copydesk.refactorings.parameters import list_parameters, name_of, parameters_of
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
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


def _with_uses(function: Node, name: str, context: RefactoringContext) -> Edits | None:
    """Without what passes it on or asks about it, too; None where the function uses it in another way, or it is the first one."""
    parameters, body = list_parameters(function), function.child_by_field_name("body")
    at = next((k for k, p in enumerate(parameters) if name_of(p) == name), 0)
    if at == 0 or body is None:
        return None
    splices = [Splice(end_of(parameters[at - 1]), end_of(parameters[at]), "")]
    gone: list[Edits] = []
    for use in identifiers(body):
        if text_of(use) != name:
            continue
        given, test = use.parent, use.parent
        if given is not None and given.type == "keyword_argument":
            if use == given.child_by_field_name("name"):
                continue
            before = given.prev_named_sibling
            if before is None:
                return None
            splices.append(Splice(end_of(before), end_of(given), ""))
        elif (
            test is not None
            and test.type == "if_statement"
            and not test.children_by_field_name("alternative")
        ):
            gone.append(delete_lines(*rows(test)))
        else:
            return None
    if any(splice.start[0] != splice.end[0] for splice in splices):
        return None
    edits = sorted([*spliced(context.lines, splices), *(e for es in gone for e in es)], key=lambda e: e.first)
    return tuple(edits)


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for parameter in parameters_of(context):
        if (name := name_of(parameter)) not in ("", "self", "cls"):
            yield f'Remove parameter "{name}"', remove_parameter(name, context, lines=True)
    for function in context.walk("function_definition"):
        for parameter in list_parameters(function):
            if (name := name_of(parameter)) not in ("", "self", "cls"):
                yield f'Remove parameter "{name}" and its uses', _with_uses(function, name, context)


REMOVE_PARAMETER = Refactoring("remove_parameter", "refactor.rewrite.removeParameter", _propose)
