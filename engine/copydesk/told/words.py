"""How instructions are worded, as far as they have a form: what all readers of them share."""

from __future__ import annotations

import ast
import re

_PLACE = r"(?:in|from|of|out of|inside|throughout) (?:this|the) (?:function|method|class|selection|code|block|file|signature)"
END = rf"(?: (?:everywhere|throughout))?(?: {_PLACE}| here)?(?:,? please)?[.!]?$"
"""Where, and how kindly."""


_NO_NAME = r"(?!(?:it|this|that|these|them|everything|all|every|the)\b)"


def name(group: str) -> str:
    """An identifier, quoted or not; words that stand for others are none."""
    return rf"(?:{_NO_NAME}|(?=[`'\"]))[`'\"]?(?P<{group}>[^\W\d]\w*)[`'\"]?"


def code(group: str) -> str:
    """An expression, quoted or not; `expression` says whether it is one."""
    return rf"`?(?P<{group}>[^`]+?)`?"


def wordings(*patterns: str, end: str = END) -> list[re.Pattern[str]]:
    """Whole instructions. end: "$" where they end in a text of the person's, full stop and all."""
    return [re.compile(rf"^(?:please )?{pattern}{end}", re.IGNORECASE) for pattern in patterns]


def first_match(patterns: list[re.Pattern[str]], instruction: str) -> re.Match[str] | None:
    """What the first of them reads."""
    return next((found for pattern in patterns if (found := pattern.match(instruction))), None)


def expression(text: str) -> bool:
    """Whether it is one expression of one line."""
    return _parsed(text) is not None


def annotation(text: str) -> bool:
    """Whether it may be a type: names, with others in brackets and between."""
    tree = _parsed(text)
    return tree is not None and all(
        isinstance(node, _TYPES) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr))
        for node in ast.walk(tree)
    )


_TYPES = (
    ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BitOr, ast.Load,
)  # fmt: skip


def _parsed(text: str) -> ast.Expression | None:
    try:
        return ast.parse(text, mode="eval") if "\n" not in text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
