"""A handler that deals with some errors of a type alone: the others raised again, and not lost."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for handler in context.starting("except_clause"):
        block = next((child for child in handler.children if child.type == "block"), None)
        last = next(reversed(statements_of(block)), None)
        if last is None or last.type != "if_statement" or not context.has(last):
            continue
        branches = clauses_of(context, last)
        if branches and branches[-1].word != "else":
            indent = context.indent(last)
            title = "Raise any other error again, otherwise re-raise: else raise, not swallowed or lost"
            yield title, insert_lines(branches[-1].last + 1, [f"{indent}else:\n", f"{indent}    raise\n"])


RERAISE_OTHERWISE = Refactoring("reraise_otherwise", "refactor.rewrite.reraiseOtherwise", _propose)
