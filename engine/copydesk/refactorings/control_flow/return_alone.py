"""A body replaced by the one expression that does all of it: returned, or alone where nothing is returned."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    function_of,
    is_text,
    returns_value,
    selected_statements,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.function_body import body_of
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.refactorings.requested import requested_statements
from copydesk.syntax.tree import rows

_WORDS = frozenset({
    "all", "already", "body", "do", "does", "entire", "entirely", "enough", "everything", "just", "only", "same", "simplify",
    "simply", "whole", "return",
})  # fmt: skip
"""Words that say of an expression that it does what the body does."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    body = [one for one in _body(context) if not is_text(one)] if arguments.words & _WORDS else []
    function = function_of(body[0]) if body else None
    if function is None or not context.starts_line(body[0]):
        return
    returns = returns_value(function)
    given = [name for p in list_parameters(function) if (name := name_of(p)) not in ("self", "cls", "")]
    calls = [f"{name}({given[0]})" for name in arguments.dotted] if len(given) == 1 else []
    said = [
        one.removeprefix("return ")
        for one in requested_statements(context, arguments)
        if one.startswith("return ")
    ]
    code = [one for one in arguments.code if "(" in one or "." in one]
    for value in dict.fromkeys([*said, *code, *calls]):
        if context.knows(value):
            line = f"{context.indent(body[0])}{'return ' if returns else ''}{value}\n"
            title = f"{'Return' if returns else 'Do'} {value} and nothing else: it does all of it"
            yield title, replace_lines(rows(body[0])[0], rows(body[-1])[1], [line])


def _body(context: RefactoringContext) -> list[Node]:
    """The statements of the function that is selected, or of the one of which nothing else is."""
    first = next(selected_statements(context), None)
    function = function_of(first) if first is not None and context.function() is None else None
    return body_of(context) if function is None else statements_of(function.child_by_field_name("body"))


RETURN_ALONE = Refactoring("return_alone", "refactor.rewrite.returnAlone", _propose)
