"""Conditions turned round."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.syntax.tree import text_of

_OPPOSITE = {
    "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in",
}  # fmt: skip
_ATOMS = ("identifier", "attribute", "call", "subscript")


def opposite(test: Node) -> str | None:
    """The opposite of a condition, as one would write it; None where it takes thought."""
    text = text_of(test)
    if "\n" in text:
        return None
    if test.type == "not_operator":
        inner = test.child_by_field_name("argument")
        return text_of(inner) if inner is not None and inner.type in _ATOMS else None
    if test.type == "comparison_operator" and test.named_child_count == 2:
        left, right = test.named_children
        said = " ".join(text_of(child) for child in test.children if child not in (left, right))
        return f"{text_of(left)} {_OPPOSITE[said]} {text_of(right)}" if said in _OPPOSITE else None
    return f"not {text}" if test.type in _ATOMS else None
