"""A lambda that `operator` has a function for, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import callee, children_of, positional, replace_expression
from copydesk.syntax.tree import text_of

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "|": "or_", "&": "and_", "^": "xor",
    "**": "pow", "@": "matmul",
}  # fmt: skip


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("lambda"):
        found = _function(node)
        if found is not None:
            made = f"{_spelt(context, arguments, found[0])}{found[1]}"
            yield f"Use {made} instead of the lambda", replace_expression(context, node, made)
    for node in context.walk("call"):
        name, given = callee(node).removeprefix("operator."), positional(node)
        if given is None or len(given) != 1:
            continue
        if name == "itemgetter":
            made = f"lambda item: item[{text_of(given[0])}]"
            yield f"Use a lambda instead of itemgetter: {made}", replace_expression(context, node, made)
        if name == "attrgetter" and given[0].type == "string":
            made = f"lambda item: item.{text_of(given[0])[1:-1]}"
            yield f"Use a lambda instead of attrgetter: {made}", replace_expression(context, node, made)


def _spelt(context: RefactoringContext, arguments: Arguments, name: str) -> str:
    """The function as the document would spell it, or the instruction does."""
    dotted = f"operator.{name}"
    bare = context.knows(name) or (name in arguments.names and not arguments.mentions(dotted))
    return name if bare and not context.knows("operator") else dotted


def _function(node: Node) -> tuple[str, str] | None:
    """The function of `operator` that a lambda is, and its arguments with brackets."""
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    names = [text_of(child) for child in children_of(parameters)] if parameters is not None else []
    if body is None or any(not name.isidentifier() for name in names):
        return None
    if body.type == "subscript" and len(names) == 1 and len(children_of(body)) == 2:
        owner, key = children_of(body)
        if text_of(owner) == names[0] and key.type in ("string", "integer", "unary_operator"):
            return "itemgetter", f"({text_of(key)})"
    if body.type == "attribute" and len(names) == 1:
        first, _, path = text_of(body).partition(".")
        if first == names[0] and all(part.isidentifier() for part in path.split(".")):
            return "attrgetter", f'("{path}")'
    sign = body.child_by_field_name("operator")
    if body.type == "binary_operator" and sign is not None and len(names) == 2:
        if [text_of(side) for side in children_of(body)] == names and text_of(sign) in _OPERATORS:
            return _OPERATORS[text_of(sign)], ""
    return None


OPERATOR_FUNCTION = Refactoring(
    "operator_function", "refactor.rewrite.operatorFunction", _propose, everywhere=True
)
