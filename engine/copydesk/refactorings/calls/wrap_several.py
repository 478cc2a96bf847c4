"""The same method called on several values that an instruction names: both stripped, all in lower case."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    is_value,
    method_of,
    replace_expressions,
)
from copydesk.refactorings.spoken import named_in
from copydesk.syntax.tree import text_of

_METHODS = {
    "strip": "strip stripped whitespace space spaces blanks trim trimmed",
    "lower": "lower lowercase lowercased case insensitive",
    "upper": "upper uppercase",
    "copy": "copy copies",
    "rstrip": "rstrip",
    "lstrip": "lstrip",
}
"""Methods, and words of an instruction that ask for them."""
_MOST_NAMES = 3


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    methods = [name for name, words in _METHODS.items() if arguments.words & set(words.split())]
    if not methods:
        return
    loads: dict[str, list[Node]] = {}
    for node in context.walk("identifier"):
        if is_value(node) and text_of(node) not in methods:
            loads.setdefault(text_of(node), []).append(node)
    named = [
        name for name in named_in(arguments, loads) if name in arguments.words or name in arguments.names
    ]
    if not 1 < len(named) <= _MOST_NAMES:
        return
    for method in methods:
        alone = [node for name in named for node in loads[name] if len(loads[name]) == 1]
        together = len(alone) == len(named) and len({_place(node) for node in alone}) == 1
        if together and not any(_has_method(node) for node in alone):
            title = f"Call {method}() on {' and '.join(named)}, both"
            pairs = [(node, f"{text_of(node)}.{method}()") for node in alone]
            yield title, replace_expressions(context, pairs)


def _place(node: Node) -> int:
    """The statement that a value stands in."""
    above = node
    while above.parent is not None and above.parent.type not in ("block", "module"):
        above = above.parent
    return above.start_byte


def _has_method(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "call" and method_of(parent) is not None


WRAP_SEVERAL = Refactoring("wrap_several", "refactor.rewrite.wrapSeveral", _propose)
