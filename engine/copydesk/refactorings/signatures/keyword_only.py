"""Parameters that are given by name alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at
from copydesk.refactorings.parameters import PLAIN, list_parameters, name_of
from copydesk.syntax.splice import start_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if "positional" in arguments.words and not arguments.words & {"keyword", "keywords", "no", "not"}:
        return
    for function in context.starting("function_definition"):
        parameters = list_parameters(function)
        if any(p.type in ("keyword_separator", "list_splat_pattern") for p in parameters):
            continue
        named = set(arguments.names) & context.variables()
        if named and not named & {name_of(parameter) for parameter in parameters}:
            continue  # it speaks of another variable
        before = ""
        for parameter in parameters:
            name = name_of(parameter)
            if parameter.type not in PLAIN or name in ("", "self", "cls"):
                continue
            lead = context.split(start_of(parameter))[0]
            star = "*, " if lead.strip() else f"*,\n{lead}"
            what = f'the parameters from "{name}" on' if before else "all parameters"
            if before and re.search(rf"\bafter\W+{before}\b", arguments.instruction):
                what = f'the parameters after "{before}"'
            yield f"Make {what} keyword-only", insert_at(context.lines, start_of(parameter), star)
            before = name


KEYWORD_ONLY = Refactoring("keyword_only", "refactor.rewrite.keywordOnly", _propose)
