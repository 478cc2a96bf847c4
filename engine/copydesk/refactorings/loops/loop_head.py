"""The heads of plain loops."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.syntax.tree import text_of


def plain_head(loop: Node) -> tuple[str, str] | None:
    """The target of a `for`, and what it goes over; None for one with an `else`, or a head of several lines."""
    left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    if left is None or right is None or loop.child_by_field_name("alternative") is not None:
        return None
    parts = text_of(left), text_of(right)
    return parts if text_of(loop).startswith(f"for {parts[0]} in {parts[1]}:") else None
