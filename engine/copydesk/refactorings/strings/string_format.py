"""Formatted strings in another style: f-strings, `str.format`, `%` and concatenation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.syntax.tree import text_of

Parts = list[tuple[str, str]]
"""Literal text as it is spelt between quotes, and the expression behind it; the last one has none."""

_PLAIN = r"""(["'])(?!\1\1)([^\\\n]*)\1"""
_LITERAL = re.compile(r"""(["'])(?!\1\1)([^\\\n{}%]*)\1""")
_VALUE = re.compile(r"[A-Za-z_][\w.]*(?:\([\w., ]*\)|\[[\w.]+\])?")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("string", "binary_operator", "call"):
        for quote, parts in filter(None, (_f_string(node), _method(node), _percent(node), _sum(node))):
            for style, new in _written(quote, parts).items():
                yield f"Use {style}: {new}", replace_node(context.lines, node, new)


def _split(body: str, mark: str, names: list[str]) -> Parts | None:
    texts = re.split(mark, body)
    plain = len(texts) == len(names) + 1 and all(_VALUE.fullmatch(name) for name in names)
    if not plain or not names or re.search(r"[{}%]", "".join(texts)):
        return None
    return list(zip(texts, [*names, ""], strict=True))


def _f_string(node: Node) -> tuple[str, Parts] | None:
    found = re.fullmatch("f" + _PLAIN, text_of(node)) if node.type == "string" else None
    if found is None:
        return None
    parts = _split(found[2], r"\{[^{}]*\}", re.findall(r"\{([^{}]*)\}", found[2]))
    return (found[1], parts) if parts else None


def _method(node: Node) -> tuple[str, Parts] | None:
    called, given = (node.child_by_field_name(field) for field in ("function", "arguments"))
    if node.type != "call" or called is None or given is None or not text_of(called).endswith(".format"):
        return None
    found = re.fullmatch(_PLAIN, text_of(called).removesuffix(".format"))
    values = [text_of(value) for value in given.named_children]
    parts = _split(found[2], r"\{\}", values) if found is not None else None
    return (found[1], parts) if found is not None and parts else None


def _percent(node: Node) -> tuple[str, Parts] | None:
    left, sign, right = (node.child_by_field_name(field) for field in ("left", "operator", "right"))
    if (
        node.type != "binary_operator"
        or left is None
        or right is None
        or sign is None
        or text_of(sign) != "%"
    ):
        return None
    found = re.fullmatch(_PLAIN, text_of(left))
    values = right.named_children if right.type == "tuple" else [right]
    parts = _split(found[2], "%s", [text_of(value) for value in values]) if found is not None else None
    return (found[1], parts) if found is not None and parts else None


def _sum(node: Node) -> tuple[str, Parts] | None:
    """`"a" + str(x) + "b"`."""
    operands: list[Node] = []
    at = node
    while at.type == "binary_operator":
        left, sign, right = (at.child_by_field_name(field) for field in ("left", "operator", "right"))
        if left is None or right is None or sign is None or text_of(sign) != "+":
            return None
        operands.insert(0, right)
        at = left
    parts: Parts = []
    text, quote = "", ""
    for operand in [at, *operands] if operands else []:
        literal = _LITERAL.fullmatch(text_of(operand))
        shown = re.fullmatch(r"str\((.*)\)", text_of(operand))
        if literal is not None and quote in ("", literal[1]):
            text, quote = text + literal[2], literal[1]
        elif shown is not None and _VALUE.fullmatch(shown[1]):
            parts.append((text, shown[1]))
            text = ""
        else:
            return None
    return (quote, [*parts, (text, "")]) if quote and parts else None


def _written(quote: str, parts: Parts) -> dict[str, str]:
    names = [name for _, name in parts if name]
    marked = {mark: "".join(text + (mark if name else "") for text, name in parts) for mark in ("{}", "%s")}
    pieces: list[str] = []
    for text, name in parts:
        pieces += [f"{quote}{text}{quote}"] if text else []
        pieces += [f"str({name})"] if name else []
    last = "," if len(names) == 1 else ""
    return {
        "an f-string": f"f{quote}" + "".join(t + (f"{{{n}}}" if n else "") for t, n in parts) + quote,
        "str.format": f"{quote}{marked['{}']}{quote}.format({', '.join(names)})",
        "% formatting": f"{quote}{marked['%s']}{quote} % ({', '.join(names)}{last})",
        "concatenation": " + ".join(pieces),
    }


STRING_FORMAT = Refactoring("string_format", "refactor.rewrite.stringFormat", _propose)
