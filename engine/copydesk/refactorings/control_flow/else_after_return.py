"""No `else` behind a branch that leaves."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import body_lines, else_line, movable, shifted, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, clauses_of, reindented, step_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import rows


def _offer(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        middle, lines = else_line(context, node), body_lines(context, node, "consequence")
        body = statements_of(node.child_by_field_name("consequence"))
        if middle is None or lines is None or not body or body[-1].type not in JUMPS:
            continue
        last = rows(node)[1]
        rest = context.view(middle + 1, last)
        if movable(node.children_by_field_name("alternative")[0], rest, context.indent(node) + "    "):
            yield (
                'Remove "else" after ' + body[-1].type.partition("_")[0],
                replace_lines(middle, last, shifted(rest, -4)),
            )


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """No `elif` and no `else` behind branches that leave."""
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) < 3 or not all(clause.leaves for clause in clauses[:-1]):
            continue
        lines: list[str] = []
        for clause in clauses:
            if clause.word == "else":
                body = reindented(context, clause.first, clause.last, -step_of(clause))
                if body is None:
                    return
                lines += body
            else:
                head = context.view(clause.head, clause.last)
                lines += [head[0].replace("elif ", "if ", 1) if clause.word == "elif" else head[0], *head[1:]]
        word = clauses[0].statements[-1].type.partition("_")[0]
        yield f"Remove elif and else after {word}", replace_lines(clauses[0].head, clauses[-1].last, lines)


ELSE_AFTER_RETURN = Refactoring(
    "else_after_return", "refactor.rewrite.elseAfterReturn", _propose, menu="cursor", offer=_offer
)
