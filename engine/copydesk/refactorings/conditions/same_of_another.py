"""The same test of another literal, joined by `or` or `and`; the same `replace` of another one, behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.conditions.accept_another import in_chain
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines
from copydesk.refactorings.expressions import (
    LITERALS,
    callee,
    children_of,
    comparison,
    method_of,
    positional,
    replace_expression,
    single_line,
    tests,
)
from copydesk.refactorings.spoken import entries_like, literals_like, sign_words
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import text_of

_MOST = 6


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in tests(context):
        literal = _tested(node)
        if literal is None or not single_line(node) or _has_like_behind(node, literal):
            continue
        test, start = text_of(node), literal.start_byte - node.start_byte
        raw = test.encode()
        sides = comparison(node)
        if sides is not None and sides[1] in ("==", "!=") and not in_chain(node):
            continue  # for `accept_another`
        negative = node.type == "not_operator" or (sides is not None and sides[1] in ("!=", "not in"))
        words = ("and",) if negative else ("or",) if sides is not None and sides[1] == "==" else ("or", "and")
        for new in entries_like(text_of(literal), arguments, _MOST):
            other = (raw[:start] + new.encode() + raw[start + len(text_of(literal).encode()) :]).decode()
            for word in words if other != test else ():
                title = f"Test {new}{sign_words(new, arguments)}, too: {word} {other}"
                before, behind = context.split(start_of(node))[0], context.split(end_of(node))[1]
                if before.strip() == word and not behind.strip():
                    yield title, insert_lines(node.end_point[0] + 2, [f"{before}{other}\n"])
                else:
                    yield title, replace_expression(context, node, f"{test} {word} {other}")
        yield from _equal(context, node, text_of(literal), arguments)
    for call in context.walk("call"):
        given = positional(call)
        if callee(call).endswith(".replace") and given is not None and len(given) == 2 and single_line(call):
            for new in literals_like(text_of(given[0]), arguments, _MOST):
                made = f".replace({new}, {text_of(given[1])})"
                yield f"Replace {new}, too: {made}", replace_expression(context, call, text_of(call) + made)


def _has_like_behind(node: Node, literal: Node) -> bool:
    """Whether the next test that is joined with it is the same of another literal."""
    below, holder = node, node.parent
    while holder is not None and holder.type == "boolean_operator" and children_of(holder)[-1] == below:
        below, holder = holder, holder.parent
    after = children_of(holder)[-1] if holder is not None and holder.type == "boolean_operator" else None
    other = _tested(after) if after is not None else None
    if after is None or other is None:
        return False
    return _without(node, literal) == _without(after, other)


def _without(node: Node, literal: Node) -> bytes:
    raw = text_of(node).encode()
    return raw[: literal.start_byte - node.start_byte] + raw[literal.end_byte - node.start_byte :]


def _equal(context: RefactoringContext, node: Node, old: str, arguments: Arguments) -> Iterator[Proposal]:
    """A text whose beginning or end is tested: one that it may be as a whole, too."""
    call = children_of(node)[0] if node.type == "not_operator" else node
    method = method_of(call) if call.type == "call" else None
    if (
        method is None
        or text_of(method[1]) not in ("startswith", "endswith")
        or len(positional(call) or ()) != 1
    ):
        return
    word, sign = ("or", "==") if node == call else ("and", "!=")
    for new in entries_like(f"{old[:-1]} {old[-1]}", arguments, _MOST):
        other = f"{text_of(method[0])} {sign} {new}"
        made = f"{text_of(node)} {word} {other}"
        yield f"Test {new} itself, too: {word} {other}", replace_expression(context, node, made)


def _tested(node: Node) -> Node | None:
    """The literal that a test compares with, or is given last."""
    if node.type == "not_operator" and children_of(node):
        return _tested(children_of(node)[0])
    sides = comparison(node)
    given = positional(node) or [] if node.type == "call" else []
    found = [sides[0], sides[2]] if sides is not None else given
    return next((one for one in reversed(found) if one.type in LITERALS), None)


SAME_OF_ANOTHER = Refactoring("same_of_another", "refactor.rewrite.sameOfAnother", _propose)
