"""A new parameter with a default."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import literal_type
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at
from copydesk.refactorings.new_names import may_name
from copydesk.refactorings.parameters import PLAIN, name_of, parameters_of
from copydesk.syntax.splice import end_of, start_of

_ASKED = frozenset({
    "parameter", "parameters", "param", "argument", "arg", "option", "optional", "flag", "keyword", "kwarg", "default",
    "signature", "accept", "take", "callers",
})  # fmt: skip
"""Words of an instruction that asks for a parameter."""


def add_parameter(name: str, value: str, context: RefactoringContext, *, lines: bool = False) -> Edits | None:
    """Behind the last that can be given by position: who calls the function gives none of the others by it. lines: also where
    each parameter has a line of its own.
    """
    parameters = parameters_of(context)
    if any(name_of(p) == name for p in parameters):
        return ()
    plain = list(takewhile(lambda p: p.type in PLAIN and name_of(p), parameters))
    if not plain or not context.knows(value):
        return None
    last, typed = plain[-1], any(p.type.startswith("typed") for p in parameters)
    kind = literal_type(value) if typed else None
    new = f"{name}: {kind} = {value}" if kind else f"{name}={value}"
    before = context.split(start_of(last))[0]
    own_line = not before.strip() and len(parameters) > 1
    if own_line and not lines:
        return None
    return insert_at(context.lines, end_of(last), f",\n{before}{new}" if own_line else f", {new}")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    known = context.names()
    given = {assignment.partition("=")[0] for assignment in arguments.assignments}
    asked = bool(arguments.words & _ASKED)
    values = [value for value in arguments.values if value in arguments.code or value in known]
    for name in arguments.names:
        wanted = name in given or "_" in name or asked
        for value in values if wanted and name not in known and may_name(name) else ():
            if value != name:
                title = f'Add parameter "{name}" with default {value}'
                yield title, add_parameter(name, value, context, lines=True)


ADD_PARAMETER = Refactoring("add_parameter", "refactor.rewrite.addParameter", _propose)
