"""A variable's value in its place."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import count_of, is_stored, statement_before
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, replace_nodes
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import is_label, rows, text_of

_WHOLE = (
    "identifier", "attribute", "call", "subscript", "integer", "float", "string", "true", "false", "none", "list",
    "dictionary", "set", "tuple", "parenthesized_expression", "list_comprehension", "set_comprehension",
    "dictionary_comprehension",
)  # fmt: skip
"""What means the same wherever it stands in an expression."""
_LOOSE = (
    "binary_operator", "comparison_operator", "boolean_operator", "not_operator", "unary_operator", "await",
    "conditional_expression",
)  # fmt: skip
_ALONE = (
    "argument_list",
    "return_statement",
    "expression_list",
    "parenthesized_expression",
    "list",
    "assignment",
)
"""Where such a one stands as well."""


def inline_variable(name: str, sure: bool, context: RefactoringContext) -> Edits | None:
    """Where it is given once and used once, by the next statement. sure: that there is none means that nothing is left to do."""
    names = [n for n in context.walk("identifier") if text_of(n) == name and not is_label(n)]
    if not names:
        return () if sure else None
    if len(names) != 2 or is_stored(names[1]) or count_of(name, names[0]) != 2:
        return None
    given, used = names
    assignment = given.parent
    if (
        assignment is None
        or assignment.type != "assignment"
        or assignment.child_by_field_name("left") != given
    ):
        return None
    value = assignment.child_by_field_name("right")
    statement, behind = assignment.parent, statement_before(used)
    if (
        value is None
        or statement is None
        or behind is None
        or assignment.child_by_field_name("type") is not None
    ):
        return None
    first, last = rows(statement)
    alone = context.split(start_of(statement))[0] + context.split(end_of(statement))[1]
    loose = value.type in _LOOSE and used.parent is not None and used.parent.type in _ALONE
    if (
        not (value.type in _WHOLE or loose)
        or first != last
        or alone.strip()
        or statement.next_named_sibling != behind
    ):
        return None
    made = replace_nodes(context.lines, [(used, text_of(value))])
    return (*delete_lines(first, first), *made) if made else None


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for assignment in context.walk("assignment"):
        left = assignment.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            yield f'Inline variable "{text_of(left)}"', inline_variable(text_of(left), False, context)


INLINE_VARIABLE = Refactoring("inline_variable", "refactor.inline", _propose, menu="cursor")
