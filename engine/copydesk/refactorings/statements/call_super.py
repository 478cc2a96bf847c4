"""The method of the base class called as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, comments_above
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.expressions import children_of
from copydesk.syntax.tree import rows, text_of

_ASKING = frozenset({"super", "parent", "base", "superclass", "inherited"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    function = context.function() if arguments.words & _ASKING else None
    body = function.child_by_field_name("body") if function is not None else None
    name = function.child_by_field_name("name") if function is not None else None
    given = function.child_by_field_name("parameters") if function is not None else None
    if function is None or body is None or name is None or given is None or "super()" in text_of(body):
        return
    parameters = children_of(given)
    if not parameters or text_of(parameters[0]) not in ("self", "cls"):
        return
    call = f"super().{text_of(name)}({', '.join(_passed(parameters[1:]))})"
    statements = [node for node in statements_of(body) if not is_text(node)]
    if not statements:
        return
    first, last = statements[0], statements[-1]
    indent = context.indent(first)
    place = comments_above(context, first.start_point[0] + 1)
    yield f"Call {call} first, the base class", insert_lines(place, [f"{indent}{call}\n"])
    if last.type not in JUMPS:
        title = f"Call {call} at the end, the base class, too"
        yield title, insert_lines(rows(last)[1] + 1, [f"{indent}{call}\n"])


def _passed(parameters: Iterable[Node]) -> Iterator[str]:
    """Parameters as they are passed on, by keyword behind a star."""
    by_keyword = False
    for node in parameters:
        name = text_of(node).partition(":")[0].partition("=")[0].strip()
        starred = name.startswith("*")
        if node.type not in ("keyword_separator", "positional_separator"):
            yield f"{name}={name}" if by_keyword and not starred else name
        by_keyword = by_keyword or starred


CALL_SUPER = Refactoring("call_super", "refactor.rewrite.callSuper", _propose)
