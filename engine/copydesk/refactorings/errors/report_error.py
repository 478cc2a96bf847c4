"""The caught error printed or logged, where a handler says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines, merged, replace_lines
from copydesk.refactorings.errors.except_head import except_head
from copydesk.refactorings.requested import reporting_functions


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    called = reporting_functions(context, arguments)
    for node in context.walk("try_statement") if called else ():
        for clause in clauses_of(context, node):
            head = except_head(context, clause.node) if clause.word == "except" else None
            if head is None:
                continue
            name = head.name or "e"
            caught = () if head.name else head.changed(name=name)
            inner = " " * clause.body.start_point[1]
            passes = [statement.type for statement in clause.statements] == ["pass_statement"]
            for call in called:
                report = f"{inner}{call}({name})\n"
                title = f"Report the error: {call}({name}) in {named(clause.node)}"
                if passes and clause.first == clause.last:
                    yield title, merged(caught, replace_lines(clause.first, clause.last, [report]))
                else:
                    yield title, merged(caught, insert_lines(clause.first, [report]))


REPORT_ERROR = Refactoring("report_error", "refactor.rewrite.reportError", _propose)
