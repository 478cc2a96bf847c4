"""A statement at another place: among those beside it, at an end of its block, out of it, into the one beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, stands_alone, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import (
    COMPOUND,
    JUMPS,
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
"""How many statements one is moved over, unless to an end of the block, or the instruction names both it and the other one."""
_MOST_SIBLINGS = 6
"""Of more statements in a block, only the first and the last are moved out of it."""
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
        if is_text(node):
            continue
        starts = list(dict.fromkeys([comments_above(context, first), first]))
        places = [
            (other, f"before {named(other)}", comments_above(context, rows(other)[0]))
            for other in _others(arguments, node, siblings[:at][::-1])
            if not is_text(other)
        ]
        places += [
            (other, f"after {named(other)}", rows(other)[1] + 1)
            for other in _others(arguments, node, siblings[at + 1 :])
        ]
        for other, where, place in places:
            for start in starts if stands_alone(context, other) else ():
                yield f"Move {named(node)} {where}", _moved(context, start, last, place, 0)
        yield from _out(context, node, starts, siblings)
        yield from _into(context, node, siblings, at)


def _others(arguments: Arguments, node: Node, others: list[Node]) -> list[Node]:
    """Statements that one may be moved over, the nearest first."""
    near, far = others[:_NEAR], others[_NEAR:]
    both = [other for other in far if _is_named(arguments, node) and _is_named(arguments, other)]
    ends = [other for other in far if not is_text(other) and other.type not in JUMPS][-1:]
    return [*near, *both[:_NEAR], *(end for end in ends if end not in both[:_NEAR])]


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
        for end, place, where in (
            (siblings[0], comments_above(context, first), "before"),
            (siblings[-1], last + 1, "after"),
        ):
            if node == end or len(siblings) < _MOST_SIBLINGS:
                title = f"Move {named(node)} out, {where} the {named(whole)}"
                if where == "before" and _is_first(whole):
                    title += ", to the top of the function"
                yield title, _moved(context, start, rows(node)[1], place, by)


def _is_first(node: Node) -> bool:
    """Whether nothing but a docstring stands before a statement in its function."""
    above = node.parent.parent if node.parent is not None else None
    before = [other for other in statements_of(node.parent) if other.end_byte <= node.start_byte]
    return above is not None and above.type == "function_definition" and all(map(is_text, before))


def _into(context: RefactoringContext, node: Node, siblings: list[Node], at: int) -> Iterator[Proposal]:
    (first, last), beside = rows(node), [*siblings[max(0, at - 1) : at], *siblings[at + 1 : at + 2]]
    for other in beside:
        clauses = clauses_of(context, other) if other.type in COMPOUND else ()
        for clause in clauses:
            if clause.leaves and rows(other)[0] < first:
                continue  # behind a `return` nothing is reached
            by = clause.body.start_point[1] - node.start_point[1]
            place = clause.last + 1 if rows(other)[0] < first else clause.first
            yield f"Move {named(node)} into {named(clause.node)}", _moved(context, first, last, place, by)
        words = [clause.word for clause in clauses]
        if "try" in words and "else" not in words and rows(other)[0] < first:
            place = next((c.head for c in clauses if c.word == "finally"), clauses[-1].last + 1)
            yield from _as_clause(context, node, "else", place)
            if "finally" not in words:
                yield from _as_clause(context, node, "finally", clauses[-1].last + 1)
                if len(siblings) > at + 1:
                    yield from _as_clause(context, node, "finally", clauses[-1].last + 1, siblings[at + 1])


def _as_clause(
    context: RefactoringContext, node: Node, word: str, place: int, end: Node | None = None
) -> Iterator[Proposal]:
    first, last = rows(node)[0], rows(end or node)[1]
    moved = reindented(context, first, last, 4)
    if moved is not None:
        lines = [f"{context.indent(node)}{word}:\n", *moved]
        made = insert_lines(place, lines) + delete_lines(first, last)
        between = "".join(context.view(place, first - 1)) if place <= first else "more"
        if not between.strip() and context.shows(place, last):
            made = replace_lines(place, last, lines)
        both = f" and {named(end)}" if end is not None else ""
        yield f"Move {named(node)}{both} into a {word} of the try", made


MOVE_STATEMENT = Refactoring("move_statement", "refactor.move.statement", _propose)
