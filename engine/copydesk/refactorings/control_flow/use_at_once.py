"""A variable that gets its last value right before it is handed on: that value handed on itself."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of, lead_and_value, next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import level_of
from copydesk.syntax.tree import identifiers, rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "if_statement", "expression_statement"):
        below = next_statement(node)
        found = lead_and_value(below) if below is not None else None
        if below is None or found is None or not rows(node)[1] + 1 == rows(below)[0] == rows(below)[1]:
            continue
        test, statement = "", node
        if node.type == "if_statement":
            clauses = clauses_of(context, node)
            if len(clauses) != 1 or len(clauses[0].statements) != 1 or clauses[0].test is None:
                continue
            test, statement = in_one_line(clauses[0].test) or "", clauses[0].statements[0]
        name, value = _new_value(statement)
        inline = not test and statement.named_children[0].type == "assignment"  # which is another refactoring
        if not name or name != text_of(found[1]) or inline or _is_read_behind(name, below):
            continue
        if test:
            value = f"{value if level_of(value) > 1 else f'({value})'} if {test} else {name}"
        made = f"{found[0]}{value}"
        title = f"{'Use a ternary, conditional' if test else 'One statement'}: {made}"
        yield title, replace_lines(rows(node)[0], rows(below)[1], [f"{context.indent(node)}{made}\n"])


def _is_read_behind(name: str, statement: Node) -> bool:
    """Whether a variable stands anywhere behind a statement of its function."""
    if statement.type == "return_statement":
        return False
    function = function_of(statement)
    uses = identifiers(function) if function is not None else ()
    return any(text_of(one) == name and one.start_byte > statement.end_byte for one in uses)


def _new_value(statement: Node) -> tuple[str, str]:
    """The variable that a statement gives a value, and the value; empty for other statements."""
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    left = only.child_by_field_name("left") if only is not None else None
    right = only.child_by_field_name("right") if only is not None else None
    operand = in_one_line(right) if right is not None else None
    if only is None or left is None or operand is None:
        return "", ""
    if only.type == "assignment":
        return text_of(left), operand
    sign = only.child_by_field_name("operator")
    if only.type != "augmented_assignment" or sign is None:
        return "", ""
    return text_of(
        left
    ), f"{text_of(left)} {text_of(sign)[:-1]} {operand if level_of(operand) > 7 else f'({operand})'}"


USE_AT_ONCE = Refactoring("use_at_once", "refactor.rewrite.useAtOnce", _propose)
