"""An entry of a dict, or something else where there is none: `get` for a test of whether there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, has_comment, next_statement, stands_alone
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, in_one_line, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import LITERALS, children_of, comparison
from copydesk.refactorings.loops.loop_head import plain_head
from copydesk.syntax.tree import rows, text_of

_DEFAULTS = (*LITERALS, "identifier", "attribute", "list", "dictionary", "tuple")
"""What can be made whether it is needed or not."""


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        tested = _tested(clauses[0]) if len(clauses) == 1 else None
        if tested is not None:
            yield from _returned(context, node, clauses[0], *tested)
            yield from _looped_over(context, node, clauses[0], *tested)
        elif len(clauses) == 2 and (both := _tested(clauses[0])) is not None:
            yield from _popped(context, node, clauses, *both)


def _tested(clause: Clause) -> tuple[str, str] | None:
    """The dict and the key that a condition looks for in it."""
    sides = comparison(clause.test) if clause.test is not None else None
    return (text_of(sides[2]), text_of(sides[0])) if sides is not None and sides[1] == "in" else None


def _returned(
    context: RefactoringContext, node: Node, clause: Clause, owner: str, key: str
) -> Iterator[Proposal]:
    """The entry is returned, and behind the `if` something else."""
    after = next_statement(node)
    if after is None or after.type != "return_statement" or not stands_alone(context, after):
        return
    lines = (rows(node)[0], rows(after)[1])
    if text_of(clause.body).strip() != f"return {owner}[{key}]" or has_comment(context, *lines):
        return
    given = children_of(after)
    if given and given[0].type not in _DEFAULTS:
        return
    default = text_of(given[0]) if given and given[0].type != "none" else ""
    made = f"{owner}.get({key}, {default})" if default else f"{owner}.get({key})"
    title = f"Return {made}, all of it just one get, no if"
    yield title, replace_lines(*lines, [f"{context.indent(node)}return {made}\n"])


def _popped(
    context: RefactoringContext, node: Node, clauses: Sequence[Clause], owner: str, key: str
) -> Iterator[Proposal]:
    """The entry is kept and deleted, and where there is none another value is taken."""
    taken, other = (clause.statements for clause in clauses)
    sides = assigned(other[0]) if len(other) == 1 else None
    default = in_one_line(sides[1]) if sides is not None else None
    if sides is None or default is None or has_comment(context, *rows(node)):
        return
    target, entry = text_of(sides[0]), f"{owner}[{key}]"
    if [text_of(one) for one in taken] == [f"{target} = {entry}", f"del {entry}"]:
        line = f"{target} = {owner}.pop({key}, {default})"
        yield (
            f"Use pop with a default, no if: {line}",
            replace_lines(*rows(node), [f"{context.indent(node)}{line}\n"]),
        )


def _looped_over(
    context: RefactoringContext, node: Node, clause: Clause, owner: str, key: str
) -> Iterator[Proposal]:
    """A loop over the entry is all that there is to do."""
    loop = clause.statements[0] if len(clause.statements) == 1 else None
    head = plain_head(loop) if loop is not None and loop.type == "for_statement" else None
    if loop is None or head is None or head[1] != f"{owner}[{key}]":
        return
    line, last = rows(loop)
    body = reindented(context, line + 1, last, -4)
    if line != clause.first or last != clause.last or body is None:
        return
    for default in ("[]", "()"):
        made = f"{owner}.get({key}, {default})"
        lines = [f"{context.indent(node)}for {head[0]} in {made}:\n", *body]
        yield f"Loop over {made}, and drop the if", replace_lines(*rows(node), lines)


ENTRY_OR_DEFAULT = Refactoring(
    "entry_or_default", "refactor.rewrite.entryOrDefault", _propose, menu="cursor", everywhere=True
)
