"""The class of `self` in place of the name of the class that a method stands in."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import loads
from copydesk.syntax.tree import text_of

_WAYS = ("type(self)", "self.__class__", "cls")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    ways = [way for way in _WAYS if arguments.mentions(way)]
    for node in loads(context) if ways else ():
        above = node.parent
        while above is not None and above.type != "class_definition":
            above = above.parent
        name = above.child_by_field_name("name") if above is not None else None
        if name is not None and text_of(name) == text_of(node):
            for way in ways:
                title = f"Use {way} instead of the class name {text_of(node)}"
                yield title, replace_node(context.lines, node, way)


OWN_CLASS = Refactoring("own_class", "refactor.rewrite.ownClass", _propose, everywhere=True)
