"""The class of `self`, or `cls`, in place of the name of the class that a method stands in."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import loads
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.syntax.tree import text_of

_WAYS = ("type(self)", "self.__class__", "cls")
_WORDS = frozenset(
    {"subclass", "subclasses", "inherit", "inherited", "derived", "cls", "hardcode", "hardcoded"}
)
"""Words of those for whom the name of the class is too little."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    ways = [way for way in _WAYS if arguments.mentions(way)]
    for node in loads(context) if ways or arguments.words & _WORDS else ():
        above = node.parent
        while above is not None and above.type != "class_definition":
            above = above.parent
        name = above.child_by_field_name("name") if above is not None else None
        if name is not None and text_of(name) == text_of(node):
            for way in ways or _own_way(node):
                title = f"Use {way} instead of the class name {text_of(node)}"
                yield title, replace_node(context.lines, node, way)


def _own_way(node: Node) -> tuple[str, ...]:
    """How the method round a place has its class: by its first parameter."""
    function = function_of(node)
    parameters = [name_of(one) for one in list_parameters(function)] if function is not None else []
    first = parameters[0] if parameters else ""
    return {"self": ("type(self)",), "cls": ("cls",)}.get(first or "", ())


OWN_CLASS = Refactoring("own_class", "refactor.rewrite.ownClass", _propose, everywhere=True)
