"""The same test of another literal, joined by `or` or `and`; the same `replace` of another one, behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    LITERALS,
    callee,
    children_of,
    comparison,
    positional,
    replace_expression,
    single_line,
    tests,
)
from copydesk.refactorings.spoken import literals_like
from copydesk.syntax.tree import text_of

_MOST = 6


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in tests(context):
        literal = _tested(node)
        if literal is None or not single_line(node):
            continue
        test, start = text_of(node), literal.start_byte - node.start_byte
        raw = test.encode()
        for new in literals_like(text_of(literal), arguments, _MOST):
            other = (raw[:start] + new.encode() + raw[start + len(text_of(literal).encode()) :]).decode()
            for word in ("or", "and") if other != test else ():
                yield (
                    f"Test {new}, too: {word} {other}",
                    replace_expression(context, node, f"{test} {word} {other}"),
                )
    for call in context.walk("call"):
        given = positional(call)
        if callee(call).endswith(".replace") and given is not None and len(given) == 2 and single_line(call):
            for new in literals_like(text_of(given[0]), arguments, _MOST):
                made = f".replace({new}, {text_of(given[1])})"
                yield f"Replace {new}, too: {made}", replace_expression(context, call, text_of(call) + made)


def _tested(node: Node) -> Node | None:
    """The literal that a test compares with, or is given last."""
    if node.type == "not_operator" and children_of(node):
        return _tested(children_of(node)[0])
    sides = comparison(node)
    given = positional(node) or [] if node.type == "call" else []
    found = [sides[0], sides[2]] if sides is not None else given
    return next((one for one in reversed(found) if one.type in LITERALS), None)


SAME_OF_ANOTHER = Refactoring("same_of_another", "refactor.rewrite.sameOfAnother", _propose)
