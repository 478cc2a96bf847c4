"""A statement that is executed only if something is the case."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.requested import requested_tests
from copydesk.syntax.tree import rows

_MOST_STATEMENTS, _MOST_TESTS = 12, 6


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    tests = requested_tests(context, arguments)[:_MOST_TESTS]
    statements = [n for n in plain_statements(context, "expression_statement") if not is_text(n)]
    for node in statements[:_MOST_STATEMENTS] if tests else ():
        moved = reindented(context, *rows(node), 4)
        for test in tests if moved is not None else ():
            head = f"{context.indent(node)}if {test}:\n"
            yield f"Only if {test}: {named(node)}", replace_lines(*rows(node), [head, *(moved or ())])


ONLY_IF = Refactoring("only_if", "refactor.rewrite.onlyIf", _propose)
