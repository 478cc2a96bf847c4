"""A statement at another place: among those beside it, out of its block, into the one beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, stands_alone, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import (
    COMPOUND,
    clauses_of,
    comments_above,
    named,
    plain_statements,
    reindented,
)
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, replace_lines
from copydesk.syntax.tree import rows, text_of

_NEAR = 3
"""How many statements one is moved over, unless the instruction names both it and the other one."""
_OWNERS = ("else_clause", "except_clause", "finally_clause", "elif_clause")


def _moved(context: RefactoringContext, first: int, last: int, before: int, by: int) -> Edits | None:
    lines = reindented(context, first, last, by) if by else context.view(first, last)
    if lines is None or (lines and not lines[-1].endswith("\n")):
        return None
    put = insert_lines(before, lines)
    return put + delete_lines(first, last) if before <= first else delete_lines(first, last) + put


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context):
        siblings = statements_of(node.parent)
        at, (first, last) = siblings.index(node), rows(node)
        if is_text(node) or len(siblings) < 1:
            continue
        starts = dict.fromkeys([comments_above(context, first), first])
        for other in _others(arguments, node, siblings[:at][::-1]):
            if not is_text(other) and stands_alone(context, other):
                for start in starts:
                    place = comments_above(context, rows(other)[0])
                    title = f"Move {named(node)} before {named(other)}"
                    yield title, _moved(context, start, last, place, 0)
        for other in _others(arguments, node, siblings[at + 1 :]):
            if stands_alone(context, other):
                for start in starts:
                    title = f"Move {named(node)} after {named(other)}"
                    yield title, _moved(context, start, last, rows(other)[1] + 1, 0)
        yield from _out(context, node, list(starts), siblings)
        yield from _into(context, node, siblings, at)


def _others(arguments: Arguments, node: Node, others: list[Node]) -> list[Node]:
    """Statements that one may be moved over, the nearest first."""
    far = [other for other in others[_NEAR:] if _is_named(arguments, node) and _is_named(arguments, other)]
    return [*others[:_NEAR], *far[:_NEAR]]


def _is_named(arguments: Arguments, node: Node) -> bool:
    words = re.findall(r"[^\W\d]\w{2,}", text_of(node).split("\n")[0].lower())
    return any(word in arguments.words for word in words)


def _out(
    context: RefactoringContext, node: Node, starts: list[int], siblings: list[Node]
) -> Iterator[Proposal]:
    block = node.parent
    owner = block.parent if block is not None else None
    whole = owner.parent if owner is not None and owner.type in _OWNERS else owner
    if owner is None or whole is None or whole.type not in COMPOUND or len(siblings) < 2:
        return
    by = whole.start_point[1] - node.start_point[1]
    first, last = rows(whole)
    for start in starts:
        if node == siblings[0] or len(siblings) < 6:
            yield (
                f"Move {named(node)} out, before the {named(whole)}",
                _moved(context, start, rows(node)[1], comments_above(context, first), by),
            )
        if node == siblings[-1] or len(siblings) < 6:
            yield (
                f"Move {named(node)} out, after the {named(whole)}",
                _moved(context, start, rows(node)[1], last + 1, by),
            )


def _into(context: RefactoringContext, node: Node, siblings: list[Node], at: int) -> Iterator[Proposal]:
    first, last = rows(node)
    above = siblings[at - 1] if at else None
    for clause in clauses_of(context, above) if above is not None and above.type in COMPOUND else ():
        by = clause.body.start_point[1] - node.start_point[1]
        title = f"Move {named(node)} into {named(clause.node)}"
        yield title, _moved(context, first, last, clause.last + 1, by)
    if above is not None and above.type == "try_statement":
        clauses = clauses_of(context, above)
        words = [clause.word for clause in clauses]
        if clauses and "else" not in words:
            place = next((c.head for c in clauses if c.word == "finally"), clauses[-1].last + 1)
            yield from _as_clause(context, node, "else", place)
            if "finally" not in words:
                yield from _as_clause(context, node, "finally", clauses[-1].last + 1)
    below = siblings[at + 1] if at + 1 < len(siblings) else None
    for clause in clauses_of(context, below) if below is not None and below.type in COMPOUND else ():
        by = clause.body.start_point[1] - node.start_point[1]
        title = f"Move {named(node)} into {named(clause.node)}"
        yield title, _moved(context, first, last, clause.first, by)


def _as_clause(context: RefactoringContext, node: Node, word: str, place: int) -> Iterator[Proposal]:
    first, last = rows(node)
    moved = reindented(context, first, last, 4)
    if moved is not None:
        lines = [f"{context.indent(node)}{word}:\n", *moved]
        made = insert_lines(place, lines) + delete_lines(first, last)
        if place == first:
            made = replace_lines(first, last, lines)
        yield f"Move {named(node)} into a {word} of the try", made


MOVE_STATEMENT = Refactoring("move_statement", "refactor.move.statement", _propose)
