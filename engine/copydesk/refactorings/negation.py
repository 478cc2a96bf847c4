"""Conditions negated."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.refactorings.clauses import in_one_line
from copydesk.syntax.tree import text_of

_OPPOSITE = {
    "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in",
}  # fmt: skip
_PLAIN = ("identifier", "attribute", "call", "subscript")
_ATOMS = ("identifier", "attribute", "call", "subscript", "true", "false", "none", "parenthesized_expression")


def opposite(test: Node) -> str | None:
    """The opposite of a condition, as one would write it; None where it takes thought."""
    text = text_of(test)
    if "\n" in text:
        return None
    if test.type == "not_operator":
        inner = test.child_by_field_name("argument")
        return text_of(inner) if inner is not None and inner.type in _PLAIN else None
    if test.type == "comparison_operator" and test.named_child_count == 2:
        left, right = test.named_children
        said = " ".join(text_of(child) for child in test.children if child not in (left, right))
        return f"{text_of(left)} {_OPPOSITE[said]} {text_of(right)}" if said in _OPPOSITE else None
    return f"not {text}" if test.type in _PLAIN else None


def opposites(test: Node) -> list[str]:
    """The opposite of a condition as one may write it, the plainest first; none of one that cannot stand in a line."""
    text = in_one_line(test)
    if text is None:
        return []
    found = [turned] if (turned := _turned(test)) is not None else []
    if test.type == "not_operator" and text.startswith("not "):
        found.append(text.removeprefix("not "))
    found.append(f"not {text}" if test.type in _ATOMS else f"not ({text})")
    return list(dict.fromkeys(found))


def _turned(test: Node) -> str | None:
    while test.type == "parenthesized_expression" and test.named_child_count == 1:
        test = test.named_children[0]
    if test.type != "boolean_operator":
        if test.type == "not_operator" and (inner := test.child_by_field_name("argument")) is not None:
            while inner.type == "parenthesized_expression" and inner.named_child_count == 1:
                inner = inner.named_children[0]
            return in_one_line(inner)
        return opposite(test)
    left, sign, right = (test.child_by_field_name(field) for field in ("left", "operator", "right"))
    if left is None or sign is None or right is None:
        return None
    one, two = _turned(left), _turned(right)
    if one is None or two is None:
        return None
    word = "or" if text_of(sign) == "and" else "and"
    if word == "and":
        one, two = (f"({part})" if _is_or(side) else part for part, side in ((one, left), (two, right)))
    return f"{one} {word} {two}"


def _is_or(operand: Node) -> bool:
    """Whether the opposite of an operand has an `or` outside."""
    while operand.type == "parenthesized_expression" and operand.named_child_count == 1:
        operand = operand.named_children[0]
    sign = operand.child_by_field_name("operator") if operand.type == "boolean_operator" else None
    return sign is not None and text_of(sign) == "and"
