"""Names in strings: in a quoted annotation, and in `__all__`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from copydesk.syntax.tree import text_of
from copydesk_server.renaming.occurrence import Role


def quoted_names(node: Node, names: Collection[str]) -> Iterator[tuple[str, int, Role]]:
    """Which of `names` a string on one line has as names, and how many characters behind its start. Escapes are not read."""
    raw = text_of(node)
    quote = raw[:1]
    if (
        "\\" in raw
        or "\n" in raw
        or quote not in "'\""
        or raw.startswith(quote * 3)
        or not raw.endswith(quote)
    ):
        return
    inner = raw[1:-1]
    if inner in names and _is_exported(node):
        yield inner, 1, Role.EXPORTED
    elif _is_annotation(node) and _is_expression(inner):
        for found in re.finditer(r"(?<!\w)[^\W\d]\w*", inner):
            if found[0] in names:
                attribute = inner[: found.start()].rstrip().endswith(".")
                yield found[0], found.start() + 1, Role.ATTRIBUTE if attribute else Role.VARIABLE


def _is_annotation(node: Node) -> bool:
    """Whether a string stands for a type: in an annotation, and no argument or member of `Literal`."""
    child, parent = node, node.parent
    while parent is not None and not parent.type.endswith(("statement", "block", "module", "parameters")):
        if parent.type in ("call", "argument_list"):
            return False
        if parent.type in ("generic_type", "subscript"):
            head = text_of(parent.named_children[0]).rpartition(".")[2]
            if head in ("Literal", "Annotated"):
                return False
        if parent.type == "type" and (
            parent.parent is None or parent.parent.type not in ("type_parameter", "generic_type")
        ):
            return True
        if child.type == "assignment":
            return False
        child, parent = parent, parent.parent
    return False


def _is_exported(node: Node) -> bool:
    above = node.parent
    if above is None or above.type not in ("list", "tuple", "set"):
        return False
    statement = above.parent
    while statement is not None and statement.type in ("binary_operator", "parenthesized_expression"):
        statement = statement.parent
    if statement is None:
        return False
    if statement.type in ("assignment", "augmented_assignment"):
        left = statement.child_by_field_name("left")
        return left is not None and text_of(left) == "__all__"
    call = statement.parent if statement.type == "argument_list" else None
    return call is not None and text_of(call).startswith("__all__.")


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
