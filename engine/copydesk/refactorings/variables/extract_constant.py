"""Extract constant: a name for a literal, which gets its value above the function or class that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import top_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import comments_above
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_lines, merged, replace_nodes
from copydesk.refactorings.new_names import new_names
from copydesk.refactorings.variables.extract_variable import is_value
from copydesk.syntax.tree import rows, text_of

_LITERALS = ("integer", "float", "string", "unary_operator")


def extract_constant(context: RefactoringContext, nodes: Sequence[Node], name: str) -> Edits | None:
    """nodes: literals that are spelt alike. The constant comes before the first one's statement of the module."""
    top = top_statement(nodes[0])
    blank = 2 if top.type in ("function_definition", "class_definition", "decorated_definition") else 0
    place = comments_above(context, rows(top)[0])
    put = insert_lines(place, [f"{name} = {text_of(nodes[0])}\n", *["\n"] * blank])
    return merged(put, replace_nodes(context.lines, [(node, name) for node in nodes]))


def is_constant(node: Node) -> bool:
    """Whether it is a number or a text, without anything to be put in, where a name can stand as well."""
    if node.type == "unary_operator":
        plain = [child.type for child in node.named_children] in (["integer"], ["float"])
    else:
        plain = not any(child.type == "interpolation" for child in node.named_children)
    signed = node.parent is not None and node.parent.type == "unary_operator"
    return plain and not signed and node.type in _LITERALS and is_value(node)


def constant_name(node: Node) -> str | None:
    """What a literal is, by the code round it or its own words: `TIMEOUT` for `timeout=30`, `SIZE` for `self.size > 9`."""
    parent = node.parent
    beside: Node | None = None
    if parent is not None and parent.type in (
        "keyword_argument",
        "default_parameter",
        "typed_default_parameter",
    ):
        beside = parent.child_by_field_name("name")
    elif parent is not None and parent.type in ("assignment", "augmented_assignment"):
        beside = parent.child_by_field_name("left")
    elif parent is not None and parent.type in ("comparison_operator", "binary_operator"):
        beside = next((n for n in parent.named_children if n.type in ("identifier", "attribute")), None)
    word = text_of(beside if beside is not None else node)
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+", word.rpartition(".")[2])
    name = "_".join(words).upper()
    return name if name.isidentifier() and len(name) < 30 else None


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places: dict[str, list[Node]] = {}
    for node in context.walk(*_LITERALS):
        if is_constant(node):
            places.setdefault(text_of(node), []).append(node)
    names = [name.upper() for name in new_names(context, arguments)]
    for value, nodes in places.items():
        for name in dict.fromkeys(names) if arguments.mentions(value) else ():
            if name not in context.words:
                yield f'Extract {value} into the constant "{name}"', extract_constant(context, nodes, name)


EXTRACT_CONSTANT = Refactoring("extract_constant", "refactor.extract.constant", _propose)
