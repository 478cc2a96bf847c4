"""What a loop has gone through, emptied behind it."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.expressions import NAMES, method_of
from copydesk.syntax.tree import text_of

_ASKING = frozenset({
    "clear", "cleared", "empty", "emptied", "forget", "forgotten", "reset", "flush", "drop", "dropped", "discard", "once",
    "after", "afterwards", "again", "done", "then", "twice",
})  # fmt: skip
"""Words of an instruction that wants nothing left of what has been gone through."""
_VIEWS = ("items", "keys", "values")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "for_statement") if arguments.words & _ASKING else ():
        clauses, source = clauses_of(context, node), node.child_by_field_name("right")
        if source is None or not clauses:
            continue
        method = method_of(source) if source.type == "call" else None
        if method is not None and text_of(method[1]) in _VIEWS:
            source = method[0]
        if source.type in NAMES and f"{text_of(source)}.clear()" not in "".join(context.lines):
            cleared = f"{text_of(source)}.clear()"
            line = f"{context.indent(node)}{cleared}\n"
            title = f"Clear {text_of(source)} after the loop, empty, forget, reset: {cleared}"
            yield title, insert_lines(clauses[-1].last + 1, [line])


EMPTY_AFTER = Refactoring("empty_after", "refactor.rewrite.emptyAfter", _propose)
