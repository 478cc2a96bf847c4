"""The `else` of the last `if` of a loop as the `else` of the loop: what is done where no round has left it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import LOOPS, next_statement, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, named, plain_statements, reindented, step_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, insert_lines, merged, replace_lines
from copydesk.syntax.tree import rows, text_of

_ASKING = frozenset({"else", "loop", "for", "after", "end"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Only where some branch leaves the loop: it would always be done otherwise."""
    yield from _behind(context, arguments)
    for loop in plain_statements(context, *LOOPS) if arguments.words & _ASKING else ():
        around, body = clauses_of(context, loop), statements_of(loop.child_by_field_name("body"))
        if len(around) != 1 or not body or body[-1].type != "if_statement":
            continue
        clauses = clauses_of(context, body[-1])
        if len(clauses) < 2 or clauses[-1].word != "else" or clauses[-1].last != around[0].last:
            continue
        *others, last = clauses
        if not any(
            text_of(one.statements[-1]).split()[0] in ("return", "break", "raise")
            for one in others
            if one.statements
        ):
            continue
        lines = reindented(context, last.first, last.last, -step_of(around[0]))
        if lines is not None:
            word, indent = around[0].word, context.indent(loop)
            title = f"Make it the else of the {word} loop, {word} … else, not the else of the if"
            yield title, replace_lines(last.head, last.last, [f"{indent}else:\n", *lines])
            after = reindented(context, last.first, last.last, -step_of(around[0]) - step_of(last))
            if after is not None and any(
                text_of(one.statements[-1]).startswith(("return", "raise")) for one in others
            ):
                moved = merged(delete_lines(last.head, last.last), insert_lines(last.last + 1, after))
                yield f"Move what the else does out, after the {word} loop, no else", moved


def _behind(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What stands behind a loop that can be left, and leaves the function itself, in an `else`."""
    for loop in plain_statements(context, *LOOPS) if "else" in arguments.words else ():
        around, after = clauses_of(context, loop), next_statement(loop)
        if len(around) != 1 or after is None or after.type not in ("raise_statement", "return_statement"):
            continue
        first, last = rows(loop)[1] + 1, rows(after)[1]
        moved = reindented(context, first, last, step_of(around[0]))
        if (
            moved is not None
            and context.has(after)
            and re.search(r"\b(?:return|break|raise)\b", text_of(around[0].body))
        ):
            word, lines = around[0].word, [line for line in moved if line.strip()]
            title = f"Move {named(after)} into the else of the {word} loop, {word} … else"
            yield title, replace_lines(first, last, [f"{context.indent(loop)}else:\n", *lines])


LOOP_ELSE = Refactoring("loop_else", "refactor.rewrite.loopElse", _propose)
