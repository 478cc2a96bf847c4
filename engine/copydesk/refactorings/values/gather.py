"""An entry of a dict that is added to and not overwritten: the values collected in lists, or summed up."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import children_of, level_of, single_line
from copydesk.syntax.tree import text_of

_LISTS = frozenset(
    {
        "collect",
        "list",
        "lists",
        "group",
        "grouped",
        "several",
        "all",
        "append",
        "gather",
        "every",
        "overwrite",
    }
)
_SUMS = frozenset({"sum", "total", "add", "up", "count", "counts", "accumulate", "increase", "plus"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & (_LISTS | _SUMS):
        return
    for node in plain_statements(context, "expression_statement"):
        sides = assigned(node)
        parts = children_of(sides[0]) if sides is not None and sides[0].type == "subscript" else []
        if sides is None or len(parts) != 2 or parts[1].type in ("slice", "integer") or not single_line(node):
            continue
        owner, key, value = text_of(parts[0]), text_of(parts[1]), text_of(sides[1])
        only = children_of(node)[0]
        loose = sides[1].type in ("assignment", "expression_list", "list", "dictionary")
        if arguments.words & _LISTS and not loose:
            made = f"{owner}.setdefault({key}, []).append({value})"
            yield (
                f"Collect all of them in a list of each key: {made}",
                replace_node(context.lines, only, made),
            )
        if arguments.words & _SUMS and not loose and sides[1].type != "string":
            added = f"({value})" if level_of(value) < 8 else value
            made = f"{owner}[{key}] = {owner}.get({key}, 0) + {added}"
            yield f"Sum up, add to the entry: {made}", replace_node(context.lines, only, made)


GATHER = Refactoring("gather", "refactor.rewrite.gather", _propose)
