"""Expressions that Python has a shorter form for: `.get`, `+=`, one `isinstance`, chained comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import either_way, lead_and_value, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines, replace_node
from copydesk.refactorings.expressions import (
    bare,
    children_of,
    comparison,
    method_of,
    operands,
    positional,
    replace_expression,
    single_line,
    tests,
)
from copydesk.refactorings.negation import opposite
from copydesk.syntax.tree import rows, text_of

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _dict_get(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("conditional_expression"):
        if len(node.named_children) == 3:
            if (new := _get(*map(text_of, node.named_children))) is not None:
                yield f"Use {new}", replace_node(context.lines, node, new)
    for node in context.walk("if_statement"):
        found = either_way(context, node)
        if found is not None and (new := _get(*map(text_of, found[1:]))) is not None:
            line = f"{context.indent(node)}{found[0]}{new}\n"
            yield f"Use {new}", replace_lines(*rows(node), [line])


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
        left, sign = (value.child_by_field_name(field) for field in ("left", "operator"))
        if left is None or sign is None:
            continue
        # `a + b + c` is `(a + b) + c`; what follows the target is added to it just as well where the order does not matter.
        while text_of(sign) == "+" and _is_sum(left):
            left = left.named_children[0]
        if text_of(left) == target:
            rest = text_of(value)[len(text_of(left)) :].lstrip().removeprefix(text_of(sign)).lstrip()
            new = f"{target} {text_of(sign)}= {rest}"
            yield f"Write {new}", replace_node(context.lines, node.named_children[0], new)


def _is_sum(node: Node) -> bool:
    sign = node.child_by_field_name("operator")
    return node.type == "binary_operator" and sign is not None and text_of(sign) == "+"


def _append(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("augmented_assignment"):
        left, sign, right = (node.child_by_field_name(field) for field in ("left", "operator", "right"))
        if left is None or sign is None or right is None or text_of(sign) != "+=" or not single_line(node):
            continue
        entries = children_of(right) if right.type == "list" else []
        if len(entries) == 1:
            new = f"{text_of(left)}.append({text_of(entries[0])})"
            yield f"Use append: {new}", replace_node(context.lines, node, new)
        if right.type in ("identifier", "call", "attribute"):
            for method in ("append", "extend"):
                new = f"{text_of(left)}.{method}({text_of(right)})"
                yield f"Use {method}: {new}", replace_node(context.lines, node, new)


def _extend(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("call"):
        method, given = method_of(node), positional(node)
        alone = node.parent is not None and node.parent.type == "expression_statement"
        if method is None or given is None or len(given) != 1 or not alone or not single_line(node):
            continue
        entry = {"extend": "{}", "append": "[{}]"}.get(text_of(method[1]))
        if entry is not None:
            new = f"{text_of(method[0])} += {entry.format(text_of(given[0]))}"
            yield f"Use +=: {new}", replace_node(context.lines, node, new)


def _positive(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A negated comparison as the opposite one, and a conditional expression that tests the positive first."""
    for node in context.walk("not_operator"):
        inner = bare(children_of(node)[0])
        turned = opposite(inner) if inner.type == "comparison_operator" else None
        if turned is not None:
            yield f"Write {turned}, not {text_of(node)}", replace_expression(context, node, turned)
    for node in context.walk("conditional_expression"):
        one, test, other = children_of(node) if len(children_of(node)) == 3 else (node, node, node)
        turned = opposite(test) if test != node else None
        if turned is not None:
            made = f"{text_of(other)} if {turned} else {text_of(one)}"
            yield f"Turn the conditional around: {made}", replace_expression(context, node, made)


def _disjoint(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """Whether two sets have something in common: `&` as `isdisjoint`."""
    for test in tests(context):
        node = children_of(test)[0] if test.type == "not_operator" else test
        sides = children_of(node)
        operator = node.child_by_field_name("operator")
        if (
            node.type == "binary_operator"
            and len(sides) == 2
            and operator is not None
            and text_of(operator) == "&"
        ):
            no = "" if test.type == "not_operator" else "not "
            for one, other in (sides, sides[::-1]):
                made = f"{no}{text_of(one)}.isdisjoint({text_of(other)})"
                yield f"Use isdisjoint: {made}", replace_expression(context, test, made)


def _isinstance(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("boolean_operator"):
        joined = operands(node, "or")
        calls = [re.fullmatch(r"isinstance\(([^,()]+), ([\w.]+)\)", text_of(one)) for one in joined]
        subjects = {call[1] for call in calls if call is not None}
        if len(subjects) == 1 and all(calls):
            types = ", ".join(call[2] for call in calls if call is not None)
            new = f"isinstance({subjects.pop()}, ({types}))"
            outer = node.parent
            if outer is not None and outer.type == "parenthesized_expression":
                yield f"Use {new}", replace_node(context.lines, outer, new)
            yield f"Use {new}", replace_node(context.lines, node, new)


def _one_of(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("boolean_operator"):
        for joiner, pattern, test in (
            ("or", r"(.+) (?:==|is) (.+)", "in"),
            ("and", r"(.+) (?:!=|is not) (.+)", "not in"),
        ):
            sides = [re.fullmatch(pattern, text_of(one)) for one in operands(node, joiner)]
            found = [side for side in sides if side is not None]
            if len(found) == len(sides) > 1 and len({side[1] for side in found}) == 1:
                new = f"{found[0][1]} {test} ({', '.join(side[2] for side in found)})"
                yield f"Test with {test}, a tuple: {new}", replace_node(context.lines, node, new)


def _chained(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("boolean_operator"):
        joined = operands(node, "and")
        for one, two in pairwise(joined):
            new = _chain(one, two)
            if new is None:
                continue
            whole = " and ".join(new if k is one else text_of(k) for k in joined if k is not two)
            yield f"Chain the comparison: {new}", replace_node(context.lines, node, whole)
        yield from _outside(context, node)
        if node.parent is not None and node.parent.type != "boolean_operator":
            yield from _equal_tuples(context, node)


def _equal_tuples(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """Three equalities or more, joined by `and`, as one of two tuples."""
    joined = [comparison(one) for one in operands(node, "and")]
    equal = [sides for sides in joined if sides is not None and sides[1] == "=="]
    if len(equal) == len(joined) > 2:
        one, two = (
            ", ".join(text_of(sides[0]) for sides in equal),
            ", ".join(text_of(sides[2]) for sides in equal),
        )
        title = f"Compare tuples, one == instead of {len(equal)} comparisons with and"
        yield title, replace_expression(context, node, f"({one}) == ({two})")


def _outside(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """`x < low or x > high` as `not low <= x <= high`."""
    joined = [comparison(bare(one)) for one in operands(node, "or")]
    one, two = joined if len(joined) == 2 else (None, None)
    if one is None or two is None or text_of(one[0]) != text_of(two[0]) or f"{one[1][0]}{two[1][0]}" != "<>":
        return
    below, above = ("<" if sign[1:] else "<=" for sign in (one[1], two[1]))
    made = f"not {text_of(one[2])} {below} {text_of(one[0])} {above} {text_of(two[2])}"
    yield f"Chain the comparison: {made}", replace_expression(context, node, made)


def _chain(one: Node, two: Node) -> str | None:
    """`low < x < high` for two comparisons of the same `x`."""
    found = [comparison(node) for node in (one, two)]
    if found[0] is None or found[1] is None or not {found[0][1], found[1][1]} <= _FLIPPED.keys():
        return None
    (low, middle), (left, high) = (
        [text_of(side) for side in (each[0], each[2])] for each in (found[0], found[1])
    )
    sign, other = found[0][1], found[1][1]
    if middle != left:
        low, sign, middle = middle, _FLIPPED[sign], low
    if middle != left or sign[0] != other[0]:
        return None
    return f"{low} {sign} {middle} {other} {high}"


DICT_GET = Refactoring("dict_get", "refactor.rewrite.dictGet", _dict_get, menu="cursor")
AUGMENTED_ASSIGNMENT = Refactoring(
    "augmented_assignment", "refactor.rewrite.augmentedAssignment", _augmented, menu="cursor"
)
ONE_OF = Refactoring("one_of", "refactor.rewrite.oneOf", _one_of, menu="cursor")
MERGE_ISINSTANCE = Refactoring(
    "merge_isinstance", "refactor.rewrite.mergeIsinstance", _isinstance, menu="cursor"
)
CHAINED_COMPARISON = Refactoring(
    "chained_comparison", "refactor.rewrite.chainedComparison", _chained, menu="cursor"
)
EXTEND = Refactoring("extend", "refactor.rewrite.extend", _extend, everywhere=True)
ISDISJOINT = Refactoring("isdisjoint", "refactor.rewrite.isdisjoint", _disjoint)
POSITIVE = Refactoring("positive", "refactor.rewrite.positive", _positive, everywhere=True)
APPEND = Refactoring("append", "refactor.rewrite.append", _append, everywhere=True)
