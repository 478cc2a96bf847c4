"""A variable for an expression."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_stored, statement_before
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines, replace_nodes
from copydesk.refactorings.variables.use_constant import nodes_saying
from copydesk.syntax.tree import text_of

_EXPRESSIONS = (
    "attribute", "call", "subscript", "integer", "float", "string", "list", "dictionary", "set", "tuple", "binary_operator",
    "comparison_operator", "boolean_operator", "not_operator", "unary_operator", "await", "list_comprehension",
    "set_comprehension", "dictionary_comprehension", "generator_expression", "conditional_expression", "lambda",
)  # fmt: skip


def extract_variable(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """The value gets a line of its own before the one statement that has it."""
    names = [n for n in context.walk("identifier") if text_of(n) == name]
    places = nodes_saying(value, context)
    if any(_gives(n, value) for n in names):
        return ()
    if len(places) != 1 or names or is_stored(places[0]):
        return None
    statement = statement_before(places[0])
    if statement is None or not context.has(statement) or not context.starts_line(statement):
        return None
    used = replace_nodes(context.lines, [(places[0], name)])
    before = insert_lines(statement.start_point[0] + 1, [f"{context.indent(statement)}{name} = {value}\n"])
    return (*before, *used) if used else None


def _gives(name: Node, value: str) -> bool:
    parent = name.parent
    right = (
        parent.child_by_field_name("right") if parent is not None and parent.type == "assignment" else None
    )
    return right is not None and text_of(right) == value


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    known = context.names()
    values = dict.fromkeys(text_of(n) for n in context.walk(*_EXPRESSIONS))
    for value in values:
        for name in arguments.names if arguments.mentions(value) else ():
            if name not in known:
                yield f'Extract {value} into variable "{name}"', extract_variable(name, value, context)


EXTRACT_VARIABLE = Refactoring("extract_variable", "refactor.extract.variable", _propose)
