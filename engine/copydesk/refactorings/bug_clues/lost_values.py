"""Results that a function does not return, and parameters that it does not store."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.bug_clues.clue import Clue, below, instead
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.scopes import COMPREHENSIONS, is_use
from copydesk.syntax.splice import Splice, start_of
from copydesk.syntax.tree import text_of

_NO_EFFECT = COMPREHENSIONS | {
    "identifier", "dictionary", "list", "set", "tuple", "binary_operator", "comparison_operator", "boolean_operator",
    "not_operator", "conditional_expression", "unary_operator",
}  # fmt: skip
"""Expressions that do nothing where they stand alone. An attribute, a subscript or a call may."""


def lost_results(function: Node) -> Iterator[Node]:
    """What a function ends with in some branch, and does not return."""
    name, body = function.child_by_field_name("name"), function.child_by_field_name("body")
    if name is None or body is None or text_of(name) in ("__init__", "__new__") or "yield" in text_of(body):
        return
    waiting = [body]
    while waiting:
        statements = [one for one in waiting.pop().named_children if one.type != "comment"]
        if not statements:
            continue
        last = statements[-1]
        if last.type in ("if_statement", "with_statement"):
            waiting += _blocks(last)
        elif last.type == "expression_statement" and last.named_child_count == 1:
            value = last.named_children[0]
            if value.type in _NO_EFFECT and (value.type != "identifier" or len(statements) > 1):
                yield value


def _blocks(statement: Node) -> Iterator[Node]:
    for one in statement.named_children:
        if one.type == "block":
            yield one
        elif one.type in ("elif_clause", "else_clause"):
            yield from (part for part in one.named_children if part.type == "block")


def not_returned(value: Node) -> Clue:
    """The same, returned."""
    begin = start_of(value)
    first = text_of(value).split("\n")[0]
    return [(f"Return {first}: by itself it has no effect", Splice(begin, begin, "return "), 0.0)]


def not_stored(function: Node) -> Iterator[Clue]:
    """`self.name = other` in a function whose parameter `name` nobody reads."""
    body = function.child_by_field_name("body")
    if body is None:
        return
    names = {name_of(one) for one in list_parameters(function)} - {"", "self", "cls"}
    used = {text_of(one) for one in below(body, "identifier") if is_use(one)}
    for node in below(body, "assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if (
            left is None
            or right is None
            or not text_of(left).startswith("self.")
            or right.type != "identifier"
        ):
            continue
        name = text_of(left).removeprefix("self.")
        found = next((one for one in (name, name.lstrip("_")) if one in names - used), None)
        if found is not None and text_of(right) in names:
            yield [(f"Store {found} in self.{name}: the parameter is not used", instead(right, found), 0.0)]
