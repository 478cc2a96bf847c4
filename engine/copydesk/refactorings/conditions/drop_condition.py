"""A condition without one of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.refactorings.expressions import (
    bare,
    children_of,
    mentioned,
    operands,
    replace_expression,
    tests,
)
from copydesk.refactorings.spoken import sign_words
from copydesk.syntax.tree import text_of

_ORDINALS = ("first", "second", "third")
_TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _drop(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    called = "check" if "check" in arguments.words else "condition"
    asked = tests(context)
    given = [node.child_by_field_name("value") for node in context.walk("keyword_argument")]
    joined = [node for node in given if node is not None and node.type == "boolean_operator"]
    for node in mentioned([*asked, *joined], arguments):
        for word in ("and", "or"):
            if node.parent is not None and operands(node.parent, word)[1:] and node.parent.type == node.type:
                continue  # a part of a longer one
            parts = operands(node, word)
            for one, two in pairwise(parts):
                title = f"Test {text_of(two)} first, before {text_of(one)}: swap the conditions, the order"
                yield title, replace_nodes(context.lines, [(one, text_of(two)), (two, text_of(one))])
            for place, part in enumerate(parts) if len(parts) > 1 else ():
                which = (
                    _ORDINALS[place] if place < len(_ORDINALS) and _ORDINALS[place] in arguments.words else ""
                )
                which = "last" if part is parts[-1] and "last" in arguments.words else which
                said = text_of(part) + sign_words(text_of(part), arguments)
                rest = f" {word} ".join(text_of(one) for one in parts if one is not part)
                yield (
                    f"Drop the {which + ' ' * bool(which)}{called} {said}: only {rest}",
                    replace_expression(context, node, rest),
                )
        if node.type == "not_operator":
            inner = text_of(children_of(node)[0])
            yield f"Drop not from the condition: {inner}", replace_expression(context, node, inner)
        for which, bound, rest in _bounds(node):
            title = f"Drop the {which} bound {bound}, do not test it: only {rest}"
            yield title, replace_expression(context, node, rest)


def _bounds(test: Node) -> Iterator[tuple[str, str, str]]:
    """Which bound of a value between two could go, what it is, and the test that is left, turned round where it is negated."""
    negated = test.type == "not_operator"
    node = bare(children_of(test)[0]) if negated else test
    inside = not negated and test.parent is not None and _holder(test).type == "not_operator"
    sides = children_of(node)
    signs = [text_of(child) for child in node.children if not child.is_named]
    if node.type != "comparison_operator" or len(sides) != 3 or inside or not set(signs) <= set(_TURNED):
        return
    (low, value, high), (one, two) = map(text_of, sides), signs
    upward = one[0] == two[0] == "<"
    if not upward and not one[0] == two[0] == ">":
        return
    names = ("lower", "upper") if upward else ("upper", "lower")
    yield names[0], low, f"{value} {_TURNED[two] if negated else two} {high}"
    mirrored = one.replace("<", ">") if upward else one.replace(">", "<")
    yield names[1], high, f"{value} {_TURNED[mirrored] if negated else mirrored} {low}"


def _holder(node: Node) -> Node:
    """What an expression is part of, brackets round it aside."""
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    return above or node


DROP_CONDITION = Refactoring("drop_condition", "refactor.rewrite.dropCondition", _drop, everywhere=True)
