"""All annotations of a signature at once, as the instruction spells them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import annotation
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.splice import Splice, end_of, spliced, start_of


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for function in context.starting("function_definition"):
        splices = [s for p in list_parameters(function) if (s := _typed(p, arguments)) is not None]
        parameters = function.child_by_field_name("parameters")
        returned = re.search(r"->\s*(.+)$", arguments.instruction)
        said = _type(returned[1]) if returned is not None else None
        if (
            parameters is not None
            and said is not None
            and function.child_by_field_name("return_type") is None
        ):
            splices.append(Splice(end_of(parameters), end_of(parameters), f" -> {said}"))
        if len(splices) > 1:
            yield "Annotate the signature", spliced(context.lines, splices)


def _typed(parameter: Node, arguments: Arguments) -> Splice | None:
    name = name_of(parameter)
    if parameter.type in ("list_splat_pattern", "dictionary_splat_pattern") and parameter.named_children:
        name = (parameter.named_children[0].text or b"").decode()
    found = re.search(rf"(?<![\w.]){re.escape(name)}: ?(.+)", arguments.instruction) if name else None
    said = _type(found[1]) if found is not None else None
    if (
        said is None
        or parameter.child_by_field_name("type") is not None
        or parameter.type.startswith("typed")
    ):
        return None
    left, default = (parameter.child_by_field_name(field) for field in ("name", "value"))
    if left is None or default is None:
        return Splice(end_of(parameter), end_of(parameter), f": {said}")
    same_line = left.end_point[0] == default.start_point[0]
    return Splice(end_of(left), start_of(default), f": {said} = ") if same_line else None


def _type(text: str) -> str | None:
    """The longest type that a text begins with, up to a comma, an arrow or its end."""
    stops = [match.start() for match in re.finditer(r",| ->|[.;`\"]|$| and ", text)]
    found = (text[:stop].strip() for stop in reversed(stops))
    return next((said for said in found if said and annotation(said) is not None), None)


ANNOTATE_SIGNATURE = Refactoring("annotate_signature", "refactor.rewrite.annotateSignature", _propose)
