"""Parameters that are given by position alone, or no longer so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at
from copydesk.refactorings.parameters import PLAIN, list_parameters, name_of
from copydesk.syntax.splice import end_of, start_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for function in context.starting("function_definition"):
        parameters = list_parameters(function)
        if any(p.type == "positional_separator" for p in parameters):
            continue
        plain = [*takewhile(lambda parameter: parameter.type in PLAIN, parameters)]
        for parameter in reversed(plain):
            name = name_of(parameter)
            if name in ("", "self", "cls"):
                continue
            lead = context.split(start_of(parameter))[0]
            slash = ", /" if lead.strip() else f",\n{lead}/"
            what = "all parameters" if parameter == parameters[-1] else f'the parameters up to "{name}"'
            yield f"Make {what} positional-only", insert_at(context.lines, end_of(parameter), slash)


POSITIONAL_ONLY = Refactoring("positional_only", "refactor.rewrite.positionalOnly", _propose)
