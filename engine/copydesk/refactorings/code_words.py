"""Whether words are code: an expression, or a type as one annotates it."""

from __future__ import annotations

import ast

_TYPES = (
    ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BitOr, ast.Load,
)  # fmt: skip


def expression(text: str) -> str | None:
    """One expression of one line, as Python spells it; None where it is none."""
    text = text.capitalize() if text in ("none", "true", "false") else text
    return text if _parsed(text) is not None else None


def annotation(text: str) -> str | None:
    """A type as one writes it (names, with others in brackets and between), without quotes; None where it is none."""
    text = text.strip("\"'")
    if text.lower() in ("hint", "type", "type hint", "annotation"):
        return None
    tree = _parsed(text)
    types = (
        tree is not None
        and not isinstance(tree.body, (ast.Tuple, ast.List))
        and (
            not isinstance(tree.body, ast.Constant)
            or tree.body.value is None
            or isinstance(tree.body.value, str)
        )
        and all(
            isinstance(node, _TYPES) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr))
            for node in ast.walk(tree)
        )
    )
    return text if types else None


def literal_type(value: str) -> str | None:
    """The type of a plain literal that says it; None for None and for what holds others."""
    try:
        made = ast.literal_eval(value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return type(made).__name__ if isinstance(made, (bool, int, float, str, bytes)) else None


def _parsed(text: str) -> ast.Expression | None:
    try:
        return ast.parse(text, mode="eval") if "\n" not in text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
