"""The caught error printed or logged, where a handler says nothing of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines, merged, replace_lines
from copydesk.refactorings.requested import reporting_functions

_HEAD = re.compile(r"(\s*except)( [^:]+?)?( as (\w+))?:(.*\n)")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    called = reporting_functions(context, arguments)
    for node in context.walk("try_statement") if called else ():
        for clause in clauses_of(context, node):
            head = _HEAD.fullmatch(context.view(clause.head, clause.head)[0])
            if clause.word != "except" or head is None or clause.head + 1 != clause.first:
                continue
            name = head[4] or "e"
            caught = f"{head[1]}{head[2] or ' Exception'} as {name}:{head[5]}"
            inner = " " * clause.body.start_point[1]
            passes = [statement.type for statement in clause.statements] == ["pass_statement"]
            for call in called:
                report = f"{inner}{call}({name})\n"
                head_edit = replace_lines(clause.head, clause.head, [caught]) if not head[3] else ()
                title = f"Report the error: {call}({name}) in {named(clause.node)}"
                if passes and clause.first == clause.last:
                    yield title, merged(head_edit, replace_lines(clause.first, clause.last, [report]))
                else:
                    yield title, merged(head_edit, insert_lines(clause.first, [report]))


REPORT_ERROR = Refactoring("report_error", "refactor.rewrite.reportError", _propose)
