"""A body replaced by the one expression that does all of it: returned, or alone where nothing is returned."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import returns_value
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.function_body import body_of, first_statement
from copydesk.refactorings.parameters import name_of, parameters_of
from copydesk.syntax.tree import rows

_WORDS = frozenset({
    "all", "already", "body", "do", "does", "entire", "entirely", "enough", "everything", "just", "only", "same", "simplify",
    "simply", "whole", "return",
})  # fmt: skip
"""Words that say of an expression that it does what the body does."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    first = first_statement(context) if arguments.words & _WORDS else None
    if first is None or not context.starts_line(first):
        return
    function = context.function()
    returns = function is not None and returns_value(function)
    begin, end = rows(first)[0], rows(body_of(context)[-1])[1]
    given = [name for p in parameters_of(context) if (name := name_of(p)) not in ("self", "cls", "")]
    calls = [f"{name}({given[0]})" for name in arguments.dotted] if len(given) == 1 else []
    for value in dict.fromkeys([*(code for code in arguments.code if "(" in code or "." in code), *calls]):
        if context.knows(value):
            line = f"{context.indent(first)}{'return ' if returns else ''}{value}\n"
            title = f"{'Return' if returns else 'Do'} {value} and nothing else: it does all of it"
            yield title, replace_lines(begin, end, [line])


RETURN_ALONE = Refactoring("return_alone", "refactor.rewrite.returnAlone", _propose)
