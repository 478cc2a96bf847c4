"""Statements that share a line put on lines of their own."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.shared_lines import one_statement_per_line

_WORDS = frozenset({
    "line", "lines", "own", "separate", "split", "break", "body", "bodies", "semicolon", "semicolons", "statement", "statements",
    "oneliner", "oneliners", "liner", "liners", "layout", "pep8", "style",
})  # fmt: skip


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    root = context.nodes[0].parent if context.nodes and arguments.words & _WORDS else None
    if root is None:
        return
    for number in context.numbers():
        made = one_statement_per_line(root, context.lines, number, "    ")
        if made is not None:
            line = context.lines[number - 1].strip()
            title = f"Split the statements, one per line, each on its own: {line}"
            yield title, replace_lines(number, number, [made])


ONE_STATEMENT_PER_LINE = Refactoring(
    "one_statement_per_line", "refactor.rewrite.oneStatementPerLine", _propose, everywhere=True
)
