"""A print behind an assignment, or where a loop or a function gives a name its value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import place_before
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines
from copydesk.refactorings.function_body import body_of
from copydesk.refactorings.parameters import plain_names
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import rows, text_of


def print_variable(name: str, context: RefactoringContext) -> Edits | None:
    """Behind its only assignment."""
    given = context.walk("assignment", "augmented_assignment", "named_expression")
    mine = [n for n in given if (left := n.child_by_field_name("left")) is not None and text_of(left) == name]
    if len(mine) != 1 or mine[0].type != "assignment":
        return None
    statement = mine[0].parent
    if statement is None or statement.type != "expression_statement":
        return None
    behind = context.split(end_of(statement))[1]
    line = rows(statement)[1]
    commented = behind.strip() and not behind.lstrip().startswith("#")
    if not context.starts_line(statement) or not behind.endswith("\n") or commented:
        return None
    said = f"print({name})"
    if statement.next_named_sibling is not None and text_of(statement.next_named_sibling) == said:
        return ()
    return insert_lines(line + 1, [f"{context.indent(statement)}{said}\n"])


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for assignment in context.walk("assignment"):
        left = assignment.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            yield f'Print "{text_of(left)}" after its assignment', print_variable(text_of(left), context)
    if arguments.words & {"print", "prints", "debug", "debugging"}:
        yield from _at_starts(context, arguments)


def _at_starts(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What a loop or a call gives a value, first thing in it."""
    for loop in context.walk("for_statement"):
        target, body = loop.child_by_field_name("left"), statements_of(loop.child_by_field_name("body"))
        for name in re.findall(r"[^\W\d]\w*", text_of(target)) if target is not None and body else ():
            if arguments.mentions(name):
                title = f'Print "{name}" at the start of the loop, for debugging'
                yield title, _before(context, body[0], name)
    body = body_of(context)
    first = next((node for node in body if not is_text(node)), None)
    for name in plain_names(context) if first is not None else ():
        if arguments.mentions(name) and first is not None:
            yield f'Print "{name}" at the start of the function', _before(context, first, name)


def _before(context: RefactoringContext, statement: Node, name: str) -> Edits | None:
    if not context.starts_line(statement):
        return None
    line = f"{context.indent(statement)}print({name})\n"
    return insert_lines(place_before(context, statement), [line])


PRINT_VARIABLE = Refactoring("print_variable", "refactor.rewrite.printVariable", _propose)
