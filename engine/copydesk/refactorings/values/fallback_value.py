"""A value with another to fall back to, or without it: `or`, `get`, a conditional expression."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_node
from copydesk.refactorings.expressions import (
    ATOMS,
    children_of,
    is_mentioned,
    is_value,
    mentioned,
    replace_expression,
    tests,
    values,
    variables,
)  # fmt: skip
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of

_ASKING = frozenset({
    "default", "fall", "fallback", "falls", "or", "none", "missing", "empty", "else", "otherwise", "null", "get", "keyerror",
    "absent",     "without", "instead", "unless", "if", "when",
})  # fmt: skip

_TAKEN = ("assignment", "return_statement", "argument_list", "keyword_argument", "parenthesized_expression")
"""What takes a value for what it is, and does not only test it."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    tested = {node.id for node in tests(context)}
    for node in mentioned(context.walk("boolean_operator"), arguments):
        if node.parent is not None and node.parent.type in _TAKEN:
            left, right = map(text_of, children_of(node)[:2])
            yield f"Drop the fallback {right}: only {left}", replace_expression(context, node, left)
            yield (
                f"Fall back only if None: {left} if {left} is not None else {right}",
                replace_expression(context, node, f"{left} if {left} is not None else {right}"),
            )
    if not arguments.words & _ASKING:
        return
    said = [
        *spoken_values(arguments),
        *(v for v in arguments.values if context.knows(v)),
        "None",
        "[]",
        "{}",
        "''",
        "0",
        "()",
    ]
    said = list(dict.fromkeys(said))[:14]
    for node in mentioned(values(context), arguments):
        text = text_of(node)
        if node.type not in ATOMS or node.id in tested or "\n" in text or not is_mentioned(node, arguments):
            continue
        if node.type == "subscript" and len(children_of(node)) == 2 and children_of(node)[1].type != "slice":
            owner, key = map(text_of, children_of(node))
            yield (
                f"Use get: {owner}.get({key}), None if missing",
                replace_expression(context, node, f"{owner}.get({key})"),
            )
            for value in said:
                made = f"{owner}.get({key}, {value})"
                yield f"Use get with the default {value}: {made}", replace_expression(context, node, made)
        for value in said:
            if value not in ("None", text):
                yield (
                    f"Fall back to {value}: {text} or {value}, default",
                    replace_expression(context, node, f"{text} or {value}"),
                )
        for value in said:
            yield from _conditional(context, node, text, value)


def _conditional(
    context: RefactoringContext, node: Node, text: str, value: str
) -> Iterator[tuple[str, Edits | None]]:
    for name in variables(node)[:2]:
        if value != text:
            made = f"{text} if {name} else {value}"
            yield f"Use {value} unless {name}: {made}, if empty", replace_expression(context, node, made)
            made = f"{text} if {name} is not None else {value}"
            yield (
                f"Use {value} where {name} is None: {made}, if missing",
                replace_expression(context, node, made),
            )


def _entry(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("delete_statement"):
        (deleted, *others) = children_of(node)
        if not others and deleted.type == "subscript" and len(children_of(deleted)) == 2:
            owner, key = map(text_of, children_of(deleted))
            yield (
                f"Use pop with a default instead of del: {owner}.pop({key}, None)",
                replace_node(context.lines, node, f"{owner}.pop({key}, None)"),
            )
    for node in mentioned(context.walk("subscript"), arguments):
        parts = children_of(node)
        if len(parts) == 2 and parts[1].type != "slice" and is_value(node):
            owner, key = map(text_of, parts)
            yield f"Use {owner}.get({key})", replace_expression(context, node, f"{owner}.get({key})")
            yield f"Use pop: {owner}.pop({key})", replace_expression(context, node, f"{owner}.pop({key})")


FALLBACK_VALUE = Refactoring("fallback_value", "refactor.rewrite.fallbackValue", _propose)
TAKE_ENTRY = Refactoring("take_entry", "refactor.rewrite.takeEntry", _entry, everywhere=True)
