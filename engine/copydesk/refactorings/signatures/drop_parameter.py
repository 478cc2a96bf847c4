"""A function without a parameter, and without what passes it on or asks about it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.splice import Splice, end_of, spliced
from copydesk.syntax.tree import identifiers, rows, text_of


def drop_parameter(function: Node, name: str, context: RefactoringContext) -> Edits | None:
    """None where the function uses it in another way, or it is the first one."""
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
    for function in context.walk("function_definition"):
        for parameter in list_parameters(function):
            if (name := name_of(parameter)) not in ("", "self", "cls"):
                yield f'Drop parameter "{name}" and its uses', drop_parameter(function, name, context)


DROP_PARAMETER = Refactoring("drop_parameter", "refactor.rewrite.dropParameter", _propose)
