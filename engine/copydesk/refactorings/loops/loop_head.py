"""The heads of loops, and what becomes of their variables."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.refactorings.blocks import function_of, is_stored, top_statement
from copydesk.syntax.tree import identifiers, is_label, text_of


def plain_head(loop: Node) -> tuple[str, str] | None:
    """The target of a `for`, and what it goes over; None for one with an `else`, or a head of several lines."""
    left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    if left is None or right is None or loop.child_by_field_name("alternative") is not None:
        return None
    parts = text_of(left), text_of(right)
    return parts if text_of(loop).startswith(f"for {parts[0]} in {parts[1]}:") else None


def read_behind(loop: Node, target: Node | None = None) -> bool:
    """Whether the variables of a `for`, or of a part of its target, may be read behind its body, where they have their last
    values.
    """
    body, target = loop.child_by_field_name("body"), target or loop.child_by_field_name("left")
    scope = function_of(loop) or top_statement(loop).parent
    if target is None or body is None or scope is None:
        return True
    behind = [node for node in identifiers(scope) if node.start_byte >= body.end_byte and not is_label(node)]
    first = {name: [node for node in behind if text_of(node) == name][:1] for name in names_in(target)}
    return any(uses and not is_stored(uses[0]) for uses in first.values())


def names_in(target: Node) -> set[str]:
    """The names in the target of a loop."""
    nodes = [target] if target.type == "identifier" else list(identifiers(target))
    return {text_of(node) for node in nodes}
