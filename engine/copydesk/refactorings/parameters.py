"""The parameters of the function that is selected."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from copydesk.refactorings.context import RefactoringContext
from copydesk.syntax.tree import text_of

PLAIN = ("identifier", "default_parameter", "typed_parameter", "typed_default_parameter")
"""Those that are given by position or by name, without stars."""


def parameters_of(context: RefactoringContext) -> Sequence[Node]:
    """None where no function, or more than one, is selected."""
    function = context.function()
    return list_parameters(function) if function is not None else []


def list_parameters(function: Node) -> Sequence[Node]:
    """All parameters of a function, separators too."""
    found = function.child_by_field_name("parameters")
    return [node for node in found.named_children if node.type != "comment"] if found is not None else []


def parameter_of(context: RefactoringContext, name: str) -> Node | None:
    """The plain parameter of that name."""
    return next((p for p in parameters_of(context) if p.type in PLAIN and name_of(p) == name), None)


def name_of(parameter: Node) -> str:
    """Its name; none for separators and stars."""
    if parameter.type == "identifier":
        return text_of(parameter)
    named = parameter.child_by_field_name("name")
    if named is None and parameter.named_children:
        named = parameter.named_children[0]
    return text_of(named) if named is not None and named.type == "identifier" else ""


def plain_names(context: RefactoringContext) -> list[str]:
    """The names of the plain parameters, `self` and `cls` left out."""
    names = [name_of(p) for p in parameters_of(context) if p.type in PLAIN]
    return [name for name in names if name and name not in ("self", "cls")]
