"""A variable that gets its last value right before it is handed on: that value handed on itself."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import LOOPS, function_of, has_comment, lead_and_value, next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import level_of
from copydesk.syntax.tree import identifiers, rows, text_of

_FOREIGN = ("global_statement", "nonlocal_statement")
"""What says of a variable that it is not the function's own."""


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "if_statement", "expression_statement"):
        below = next_statement(node)
        found = (lead_and_value(below) or _yielded(below)) if below is not None else None
        if below is None or found is None or not rows(node)[1] + 1 == rows(below)[0] == rows(below)[1]:
            continue
        test, statement, negated = "", node, False
        if node.type == "if_statement":
            clauses = clauses_of(context, node)
            if len(clauses) != 1 or len(clauses[0].statements) != 1 or clauses[0].test is None:
                continue
            test, statement = in_one_line(clauses[0].test) or "", clauses[0].statements[0]
            negated = clauses[0].test.type == "not_operator"
        name, value = _new_value(statement)
        if not name.isidentifier() or name != text_of(found[1]) or _is_needed(name, below):
            continue
        if not test and statement.named_children[0].type == "assignment":  # which is another refactoring
            continue
        if has_comment(context, rows(node)[0], rows(below)[1]):
            continue
        if test:
            value = value if level_of(value) > 1 else f"({value})"
            value = f"{name} if {test[4:]} else {value}" if negated else f"{value} if {test} else {name}"
        made = f"{found[0]}{value}"
        title = f"{'Use a ternary, conditional' if test else 'One statement'}: {made}"
        yield title, replace_lines(rows(node)[0], rows(below)[1], [f"{context.indent(node)}{made}\n"])


def _yielded(statement: Node) -> tuple[str, Node] | None:
    """What stands before the value that a statement yields, and the value."""
    only = statement.named_children[0] if statement.named_child_count == 1 else None
    plain = statement.type == "expression_statement" and only is not None and only.type == "yield"
    values = only.named_children if only is not None else []
    return (
        ("yield ", values[0])
        if plain and len(values) == 1 and "from" not in text_of(statement).split()[1:2]
        else None
    )


def _is_needed(name: str, below: Node) -> bool:
    """Whether a variable may be read again: further down, in the next round of a loop, in a `finally`, outside the function."""
    function = function_of(below)
    if function is None:
        return True
    above = below.parent
    while above is not None and above != function:
        if above.type == "for_statement" and above.child_by_field_name("alternative") is None:
            target = above.child_by_field_name("left")
            if target is not None and text_of(target) == name:  # which each round begins with
                break
        if above.type in (*LOOPS, "try_statement"):
            return True
        above = above.parent
    uses = [one for one in identifiers(function) if text_of(one) == name]
    if any(one.parent is not None and one.parent.type in _FOREIGN for one in uses):
        return True
    if below.type == "return_statement":
        return False
    return any(one.start_byte > below.end_byte for one in uses)


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
    bracketed = operand if level_of(operand) > 7 else f"({operand})"
    return text_of(left), f"{text_of(left)} {text_of(sign)[:-1]} {bracketed}"


USE_AT_ONCE = Refactoring("use_at_once", "refactor.rewrite.useAtOnce", _propose)
