"""Another operator between two operands: of a comparison, of arithmetic, of a logical expression."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_span
from copydesk.refactorings.expressions import children_of
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import text_of

_COMPARISONS = {
    "<": ("<=", ">", ">=", "!="), "<=": ("<", ">=", ">", "=="), ">": (">=", "<", "<=", "!="), ">=": (">", "<=", "<", "=="),
    "==": ("!=", "is", "in", ">=", "<=", ">", "<"), "!=": ("==", "is not", "not in", ">", "<"),
    "is": ("==", "is not"), "is not": ("!=", "is"),
    "in": ("not in", "=="), "not in": ("in", "!="),
}  # fmt: skip
_ARITHMETIC = {
    "+": ("-", "|"), "-": ("+",), "*": ("/", "**"), "/": ("//", "*"), "//": ("/", "%"), "%": ("//",), "**": ("*",),
    "|": ("&", "or"), "&": ("|", "and"), "<<": (">>",), ">>": ("<<",),
}  # fmt: skip
_ASSIGNED = {
    "+=": ("-=", "=", "|="),
    "-=": ("+=", "="),
    "*=": ("/=",),
    "/=": ("//=", "*="),
    "|=": ("&=", "="),
    "&=": ("|=",),
}
_SAID = {
    "<": "less than, below, under", "<=": "at most, inclusive", ">": "more than, above, over", ">=": "at least, inclusive",
    "==": "equal, not identity", "!=": "not equal, differ", "is": "identity", "is not": "identity", "in": "contains",
}  # fmt: skip


_ALSO = frozenset({"also", "too", "well", "equal", "already", "inclusive"})
"""Words of an instruction that wants what is there to stay."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("comparison_operator"):
        for left, right in pairwise(children_of(node)):
            old = _between(context, left, right)
            for new in _COMPARISONS.get(old, ()):
                if old == "==" and new in "<>" and arguments.words & _ALSO:
                    continue
                bound = next((text_of(n) for n in (left, right) if n.type in ("integer", "float")), "")
                too = f", {bound} too" if bound and new == f"{old}=" else ""
                title = f"Compare with {new} instead of {old}{too}: {text_of(left)} {new} {text_of(right)}"
                title += ", positive" if new == ">" and text_of(right) == "0" else ""
                title += ", negative" if new == "<" and text_of(right) == "0" else ""
                said = f" ({_SAID[new]})" if new in _SAID else ""
                yield title + said, replace_span(context.lines, end_of(left), start_of(right), f" {new} ")
    for node in context.walk("binary_operator", "boolean_operator", "augmented_assignment"):
        one, two = node.child_by_field_name("left"), node.child_by_field_name("right")
        if one is None or two is None:
            continue
        old = _between(context, one, two)
        others = ("or",) if old == "and" else ("and",) if old == "or" else _ARITHMETIC.get(old, ())
        for new in others:
            title = f"Join with {new} instead of {old}: {text_of(one)} {new} {text_of(two)}"
            yield title, replace_span(context.lines, end_of(one), start_of(two), f" {new} ")
        for new in _ASSIGNED.get(old, ()):
            title = f"Assign with {new} instead of {old}: {text_of(one)}"
            yield title, replace_span(context.lines, end_of(one), start_of(two), f" {new} ")


def _between(context: RefactoringContext, left: Node, right: Node) -> str:
    (row, start), (other, end) = end_of(left), start_of(right)
    if row != other:
        return ""
    raw = context.split((row, end))[0].encode()[start:]
    return " ".join(raw.decode().split())


CHANGE_OPERATOR = Refactoring("change_operator", "refactor.rewrite.changeOperator", _propose, everywhere=True)
