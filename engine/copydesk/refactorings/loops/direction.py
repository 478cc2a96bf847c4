"""A loop that goes through the same things from the last to the first."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import callee, single_line
from copydesk.syntax.tree import text_of

_BACKWARDS = frozenset(
    {"reverse", "reversed", "backward", "backwards", "end", "last", "bottom", "descending", "down"}
)
"""Words of an instruction about the order of a loop."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for loop in context.starting("for_statement", "for_in_clause") if arguments.words & _BACKWARDS else ():
        over = loop.child_by_field_name("right")
        if over is None or not single_line(over) or callee(over) == "reversed":
            continue
        for made in (f"reversed({text_of(over)})", f"{text_of(over)}[::-1]"):
            yield f"Go backwards, from the end: {made}", replace_node(context.lines, over, made)


REVERSE_LOOP = Refactoring("reverse_loop", "refactor.rewrite.reverseLoop", _propose)
