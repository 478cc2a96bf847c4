"""Formatted strings in another style: f-strings, `str.format`, `%` and concatenation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import rewrite_node
from copydesk.refactorings.strings.f_string import f_string_for
from copydesk.syntax.tree import text_of

Parts = list[tuple[str, str]]
"""Literal text as it is spelt between quotes, and the expression behind it; the last one has none."""

_F_STRING = re.compile(r"""f(["'])(?!\1\1)([^\\\n]*)\1""")
_LITERAL = re.compile(r"""(["'])(?!\1\1)([^\\\n{}%]*)\1""")
_VALUE = re.compile(r"[A-Za-z_][\w.]*(?:\([\w., ]*\)|\[[\w.]+\])?")
_REPR = re.compile(r"\{repr\(([\w., ]+)\)\}")
_TO_F_STRINGS = re.compile(r"\b(?:to|into|use|using|with|as) (?:an? )?`?f[- ]?strings?\b", re.IGNORECASE)
"""Says what is to come out of it."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    f_strings_only = _TO_F_STRINGS.search(arguments.instruction) is not None
    for node in context.walk("string", "binary_operator", "call"):
        written = text_of(node) if node.type == "string" else f_string_for(node, numbers=True)
        for quote, parts in filter(None, (_fields(written or ""), _sum(node))):
            for style, new in _written(quote, parts).items():
                if f_strings_only and not style.startswith("an f-string"):
                    continue
                yield f"Use {style}: {new}", rewrite_node(context.lines, node, new)


def _fields(text: str) -> tuple[str, Parts] | None:
    """The quotes and the parts of an f-string."""
    found = _F_STRING.fullmatch(text)
    names = re.findall(r"\{([^{}]*)\}", found[2]) if found is not None else []
    texts = re.split(r"\{[^{}]*\}", found[2]) if found is not None else []
    plain = (
        names and all(_VALUE.fullmatch(name) for name in names) and not re.search(r"[{}%]", "".join(texts))
    )
    return (found[1], list(zip(texts, [*names, ""], strict=True))) if found is not None and plain else None


def _sum(node: Node) -> tuple[str, Parts] | None:
    """`"a" + str(x) + b`, where it is no part of a longer sum."""
    operands: list[Node] = []
    at = node
    while at.type == "binary_operator":
        left, sign, right = (at.child_by_field_name(field) for field in ("left", "operator", "right"))
        if left is None or right is None or sign is None or text_of(sign) != "+":
            return None
        operands.insert(0, right)
        at = left
    if not operands or (node.parent is not None and node.parent.type == "binary_operator"):
        return None
    parts: Parts = []
    text, quote = "", ""
    for operand in [at, *operands]:
        literal, fields = _LITERAL.fullmatch(text_of(operand)), _fields(text_of(operand))
        shown = re.fullmatch(r"str\((.*)\)", text_of(operand))
        value = shown[1] if shown is not None else text_of(operand)
        if literal is not None and quote in ("", literal[1]):
            text, quote = text + literal[2], literal[1]
        elif fields is not None and quote in ("", fields[0]):
            quote, ((first, name), *rest) = fields
            parts += [(text + first, name), *rest[:-1]]
            text = rest[-1][0]
        elif _VALUE.fullmatch(value):
            parts.append((text, value))
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
    field = f"f{quote}" + "".join(t + (f"{{{n}}}" if n else "") for t, n in parts) + quote
    return {
        "an f-string": field,
        "an f-string with !r, repr": _REPR.sub(r"{\1!r}", field),
        "str.format": f"{quote}{marked['{}']}{quote}.format({', '.join(names)})",
        "% formatting": f"{quote}{marked['%s']}{quote} % ({', '.join(names)}{last})",
        "concatenation": " + ".join(pieces),
        "concatenation of strings, just +": " + ".join(
            re.sub(r"^str\((.*)\)$", r"\1", piece) for piece in pieces
        ),
    }


STRING_FORMAT = Refactoring("string_format", "refactor.rewrite.stringFormat", _propose, everywhere=True)
