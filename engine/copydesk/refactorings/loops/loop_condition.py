"""The condition of a `while`: one that a `break` asks for, in its head, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines
from copydesk.refactorings.expressions import level_of
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import rows, text_of

_FOREVER = ("True", "1")
_JUMPS = re.compile(r"\b(?:break|continue)\b")
_AND = 3
"""The level of operands that `and` needs no brackets round."""


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.overlapping():
        clauses = clauses_of(context, loop) if loop.type == "while_statement" else ()
        if (
            len(clauses) != 1
            or clauses[0].test is None
            or has_comment(context, clauses[0].head, clauses[0].first - 1)
        ):
            continue
        (head,), test, indent = clauses, in_one_line(clauses[0].test), context.indent(loop)
        first, *rest = head.statements
        inner = clauses_of(context, first) if first.type == "if_statement" else ()
        ends = len(inner) == 1 and [text_of(one) for one in inner[0].statements] == ["break"]
        if test is None or (ends and (not rest or has_comment(context, *rows(first)))):
            continue
        if ends and inner[0].test is not None:
            for turned in opposites(inner[0].test)[:1]:
                both = (f"({one})" if level_of(one) < _AND else one for one in (test, turned))
                made = turned if test in _FOREVER else " and ".join(both)
                line = replace_lines(head.head, head.first - 1, [f"{indent}while {made}:\n"])
                yield (
                    f"Loop while {made}, no break, into the condition",
                    merged(line, delete_lines(*rows(first))),
                )
        elif test not in _FOREVER:
            if not _JUMPS.search(text_of(loop)):
                once = context.view(head.head, head.head)[0].replace("while ", "if ", 1)
                yield f"Do it once at most, if {test}, no while", replace_lines(head.head, head.head, [once])
            for turned in opposites(head.test)[:1] if head.test is not None else ():
                step = context.indent(first)
                own = step.removeprefix(indent)
                lines = [f"{indent}while True:\n", f"{step}if {turned}:\n", f"{step}{own}break\n"]
                yield (
                    f"Loop forever, while True, and break if {turned}",
                    replace_lines(head.head, head.first - 1, lines),
                )


LOOP_CONDITION = Refactoring("loop_condition", "refactor.rewrite.loopCondition", _propose)
