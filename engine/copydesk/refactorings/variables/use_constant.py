"""A name in place of a literal."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_nodes
from copydesk.syntax.tree import text_of

_LITERALS = frozenset({"number", "literal", "magic", "hardcoded", "hard", "string", "value", "constant"})
"""Words for a literal that an instruction does not spell."""


def use_constant(name: str, value: str, context: RefactoringContext) -> Edits | None:
    """Everywhere in the selection."""
    places = nodes_saying(value, context)
    if not places:
        named = any(text_of(n) == name for n in context.walk("identifier"))
        return () if named and not any(value in context.lines[n - 1] for n in context.numbers()) else None
    return replace_nodes(context.lines, [(node, name) for node in places])


def nodes_saying(code: str, context: RefactoringContext) -> list[Node]:
    """The selected expressions that are spelt so; no texts that are statements."""
    return [node for node in context.walk() if text_of(node) == code and not _said_by(node, code)]


def _said_by(node: Node, value: str) -> bool:
    """Whether its only child is the same text, and will be found itself; or it is a text that is a statement."""
    child = node.named_children[0] if node.named_child_count == 1 else None
    return node.type == "expression_statement" or (child is not None and text_of(child) == value)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    values = dict.fromkeys(text_of(n) for n in context.walk("integer", "float", "string", "unary_operator"))
    for value in values:
        said = arguments.mentions(value) or bool(arguments.words & _LITERALS)
        for name in (*arguments.names, *arguments.dotted) if said else ():
            if name.rpartition(".")[2].isupper():
                yield f'Use "{name}" for {value}', use_constant(name, value, context)


USE_CONSTANT = Refactoring("use_constant", "refactor.rewrite.useConstant", _propose)
