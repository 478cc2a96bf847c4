"""What an expression that chooses between values chooses by: the test, and the value of either case."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.clauses import in_one_line
from copydesk.refactorings.negation import opposites
from copydesk.syntax.tree import text_of


def values_by_branch(value: Node) -> Iterator[tuple[str, str, str]]:
    """The test, the value where it holds, and the value where not; for each way to write that out."""
    if value.type == "conditional_expression" and len(value.named_children) == 3:
        one, test, two = map(in_one_line, value.named_children)
        if one is not None and test is not None and two is not None:
            yield test, one, two
            for turned in opposites(value.named_children[1])[:1]:
                yield turned, two, one
    sign = value.child_by_field_name("operator")
    left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
    if value.type == "boolean_operator" and sign is not None and left is not None and right is not None:
        one, two = in_one_line(left), in_one_line(right)
        if one is None or two is None:
            return
        if text_of(sign) == "or":
            yield one, one, two
            yield one, "True", two
        else:
            for turned in opposites(left)[:1]:
                yield turned, "False", two
            yield one, two, "False"
    elif value.type in ("comparison_operator", "not_operator", "boolean_operator"):
        test = in_one_line(value)
        if test is not None:
            yield test, "True", "False"
