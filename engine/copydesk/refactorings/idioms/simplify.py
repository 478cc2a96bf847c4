"""Expressions that Python has a shorter form for: `.get`, `+=`, one `isinstance`, chained comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import else_line, lead_and_value, selected_statements, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines, replace_node
from copydesk.syntax.tree import rows, text_of

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _dict_get(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("conditional_expression"):
        if len(node.named_children) == 3:
            if (new := _get(*map(text_of, node.named_children))) is not None:
                yield f"Use {new}", replace_node(context.lines, node, new)
    for node in context.walk("if_statement"):
        test, (first, last) = node.child_by_field_name("condition"), rows(node)
        if else_line(context, node) is None or test is None or last - first != 3:
            continue
        one = statements_of(node.child_by_field_name("consequence"))
        two = statements_of(node.children_by_field_name("alternative")[0].child_by_field_name("body"))
        found = lead_and_value(one[0]) if len(one) == 1 else None
        other_found = lead_and_value(two[0]) if len(two) == 1 else None
        if found is None or other_found is None or found[0] != other_found[0]:
            continue
        if (new := _get(text_of(found[1]), text_of(test), text_of(other_found[1]))) is not None:
            line = f"{context.indent(node)}{found[0]}{new}\n"
            yield f"Use {new}", replace_lines(first, last, [line])


def _get(value: str, test: str, other: str) -> str | None:
    """`owner.get(key, other)` for `owner[key] if key in owner else other`."""
    key, _, owner = test.partition(" in ")
    if value != f"{owner}[{key}]":
        return None
    return f"{owner}.get({key})" if other == "None" else f"{owner}.get({key}, {other})"


def _augmented(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in selected_statements(context, "expression_statement"):
        found = lead_and_value(node)
        if found is None or found[1].type != "binary_operator" or rows(node)[0] != rows(node)[1]:
            continue
        target, value = found[0].removesuffix(" = "), found[1]
        left, sign, right = (value.child_by_field_name(field) for field in ("left", "operator", "right"))
        if left is not None and sign is not None and right is not None and text_of(left) == target:
            new = f"{target} {text_of(sign)}= {text_of(right)}"
            yield f"Write {new}", replace_node(context.lines, node.named_children[0], new)


def _isinstance(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("boolean_operator"):
        operands = _operands(node, "or")
        calls = [re.fullmatch(r"isinstance\(([^,()]+), ([\w.]+)\)", text_of(one)) for one in operands]
        subjects = {call[1] for call in calls if call is not None}
        if len(subjects) == 1 and all(calls):
            types = ", ".join(call[2] for call in calls if call is not None)
            new = f"isinstance({subjects.pop()}, ({types}))"
            outer = node.parent
            if outer is not None and outer.type == "parenthesized_expression":
                yield f"Use {new}", replace_node(context.lines, outer, new)
            yield f"Use {new}", replace_node(context.lines, node, new)


def _chained(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("boolean_operator"):
        operands = _operands(node, "and")
        for one, two in pairwise(operands):
            new = _chain(one, two)
            if new is None:
                continue
            whole = " and ".join(new if k is one else text_of(k) for k in operands if k is not two)
            yield f"Chain the comparison: {new}", replace_node(context.lines, node, whole)


def _chain(one: Node, two: Node) -> str | None:
    """`low < x < high` for two comparisons of the same `x`."""
    parts, others = _comparison(one), _comparison(two)
    if parts is None or others is None:
        return None
    low, sign, middle = parts
    if middle != others[0]:
        low, sign, middle = middle, _FLIPPED[sign], low
    if middle != others[0] or sign[0] != others[1][0]:
        return None
    return f"{low} {sign} {middle} {others[1]} {others[2]}"


def _comparison(node: Node) -> tuple[str, str, str] | None:
    if node.type != "comparison_operator" or len(node.children) != 3:
        return None
    left, sign, right = map(text_of, node.children)
    return (left, sign, right) if sign in _FLIPPED else None


def _operands(node: Node, word: str) -> list[Node]:
    """What is joined by a word, from the left."""
    left, sign, right = (node.child_by_field_name(field) for field in ("left", "operator", "right"))
    if (
        node.type != "boolean_operator"
        or left is None
        or right is None
        or sign is None
        or text_of(sign) != word
    ):
        return [node]
    return [*_operands(left, word), right]


DICT_GET = Refactoring("dict_get", "refactor.rewrite.dictGet", _dict_get, menu="cursor")
AUGMENTED_ASSIGNMENT = Refactoring(
    "augmented_assignment", "refactor.rewrite.augmentedAssignment", _augmented, menu="cursor"
)
MERGE_ISINSTANCE = Refactoring(
    "merge_isinstance", "refactor.rewrite.mergeIsinstance", _isinstance, menu="cursor"
)
CHAINED_COMPARISON = Refactoring(
    "chained_comparison", "refactor.rewrite.chainedComparison", _chained, menu="cursor"
)
