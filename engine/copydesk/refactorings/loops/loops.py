"""Loops that Python has a word for: `any` and `all`, `yield from`, `enumerate`."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import body_lines, following, has_comment, is_plain_if, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines, replace_nodes
from copydesk.refactorings.negation import opposite
from copydesk.syntax.tree import identifiers, rows, text_of


def _parts(loop: Node) -> tuple[str, str] | None:
    """The target of a `for`, and what it goes over; None for one with an `else`, or a head of several lines."""
    left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    if left is None or right is None or loop.child_by_field_name("alternative") is not None:
        return None
    parts = text_of(left), text_of(right)
    return parts if text_of(loop).startswith(f"for {parts[0]} in {parts[1]}:") else None


def _any_all(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("for_statement"):
        parts, after = _parts(loop), following(loop)
        body = statements_of(loop.child_by_field_name("body"))
        if parts is None or after is None or len(body) != 1 or not is_plain_if(context, body[0]):
            continue
        inside = statements_of(body[0].child_by_field_name("consequence"))
        test = body[0].child_by_field_name("condition")
        answers = text_of(inside[0]) if len(inside) == 1 else "", text_of(after)
        first, last = rows(loop)[0], rows(after)[1]
        if (
            test is None
            or has_comment(context, first, last)
            or sorted(answers) != ["return False", "return True"]
        ):
            continue
        word = "any" if answers[0] == "return True" else "all"
        condition = text_of(test) if word == "any" else opposite(test)
        line = f"{context.indent(loop)}return {word}({condition} for {parts[0]} in {parts[1]})\n"
        if condition is not None:
            yield f'Replace the loop by "{word}"', replace_lines(first, last, [line])


def _yield_from(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("for_statement"):
        parts, body = _parts(loop), statements_of(loop.child_by_field_name("body"))
        if parts is None or len(body) != 1 or text_of(body[0]) != f"yield {parts[0]}":
            continue
        if not has_comment(context, *rows(loop)):
            line = f"{context.indent(loop)}yield from {parts[1]}\n"
            yield f"Yield from {parts[1]}", replace_lines(*rows(loop), [line])


def _enumerate(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for loop in context.starting("for_statement"):
        parts, lines = _parts(loop), body_lines(context, loop)
        if parts is None or lines is None or not parts[1].startswith("range(len("):
            continue
        index, sequence = parts[0], parts[1].removeprefix("range(len(").removesuffix("))")
        head, indent = lines[0] - 1, context.indent(loop)
        body = statements_of(loop.child_by_field_name("body"))
        item, _, value = text_of(body[0]).partition(" = ")
        if value == f"{sequence}[{index}]" and item.isidentifier() and rows(body[0]) == (lines[0], lines[0]):
            line = f"{indent}for {index}, {item} in enumerate({sequence}):\n"
            yield "Use enumerate", replace_lines(head, head + 1, [line])
        for item in arguments.names:
            line = f"{indent}for {index}, {item} in enumerate({sequence}):\n"
            reads = _named_reads(context, loop, f"{sequence}[{index}]", item)
            if reads is not None:
                yield f'Use enumerate with "{item}"', merged(replace_lines(head, head, [line]), reads)


def _named_reads(context: RefactoringContext, loop: Node, code: str, item: str) -> Edits | None:
    """The items of the sequence by their name, in the body of a loop; None where the name is another's."""
    block = loop.child_by_field_name("body")
    if block is None or any(text_of(node) == item for node in identifiers(loop)):
        return None
    first, last = rows(block)
    places = [
        node for node in context.walk("subscript") if text_of(node) == code and first <= rows(node)[0] <= last
    ]
    return replace_nodes(context.lines, [(node, item) for node in places]) if places else None


ANY_ALL = Refactoring("any_all", "refactor.rewrite.anyAll", _any_all, menu="cursor")
YIELD_FROM = Refactoring("yield_from", "refactor.rewrite.yieldFrom", _yield_from, menu="cursor")
ENUMERATE = Refactoring("enumerate", "refactor.rewrite.enumerate", _enumerate, menu="cursor")
