"""Several names given values at once, or one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, following, is_read
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import identifiers, rows, text_of

_LISTS = ("pattern_list", "tuple_pattern", "expression_list", "tuple")
_ALIKE = ("integer", "float", "string", "true", "false", "none", "unary_operator", "identifier", "attribute")
"""Values that are the same made once or twice. A list is not: two names of one list."""


def _split(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement"):
        sides = assigned(node)
        if sides is None:
            continue
        (left, right), indent = sides, context.indent(node)
        if (
            left.type in _LISTS
            and right.type in _LISTS
            and len(left.named_children) == len(right.named_children)
        ):
            pairs = zip(left.named_children, right.named_children, strict=True)
            lines = [f"{indent}{text_of(a)} = {text_of(b)}\n" for a, b in pairs]
            yield "Split the unpacking, one assignment each line", replace_lines(*rows(node), lines)
        elif left.type in _LISTS and right.type in ("identifier", "attribute", "subscript"):
            names = [text_of(name) for name in left.named_children]
            used = [(k, name) for k, name in enumerate(names) if name != "_" or is_read(name, node)]
            lines = [f"{indent}{name} = {text_of(right)}[{k}]\n" for k, name in used]
            yield f"Index {text_of(right)} instead of unpacking", replace_lines(*rows(node), lines)
        elif left.type in _LISTS and right.type in ("call", "await") and "\n" not in text_of(right):
            yield from _one_of_them(context, node, left, right)
        if right.type == "assignment":
            targets, value = [text_of(left)], right
            while value.type == "assignment":
                inner, behind = value.child_by_field_name("left"), value.child_by_field_name("right")
                if inner is None or behind is None:
                    return
                targets.append(text_of(inner))
                value = behind
            text = in_one_line(value)
            lines = [f"{indent}{target} = {text}\n" for target in targets]
            yield "Split the chained assignment, one each", replace_lines(*rows(node), lines)
            lines = [
                f"{indent}{targets[-1]} = {text}\n",
                *(f"{indent}{t} = {targets[-1]}\n" for t in targets[:-1]),
            ]
            yield "Split the chained assignment", replace_lines(*rows(node), lines)


def _one_of_them(context: RefactoringContext, node: Node, left: Node, right: Node) -> Iterator[Proposal]:
    """The one value that is used of those a call gives, by its index: `a = f()[0]` for `a, _ = f()`."""
    names = [text_of(name) for name in left.named_children]
    kept = [k for k, name in enumerate(names) if not name.startswith("_") or is_read(name, node)]
    if len(kept) == 1 and not any(name.startswith("*") for name in names) and len(names) > 1:
        (k,) = kept
        of = text_of(right) if right.type == "call" else f"({text_of(right)})"
        made = f"{names[k]} = {of}[{k}]"
        title = f"Take [{k}] of the call instead of unpacking, no _: {made}"
        yield title, replace_lines(*rows(node), [f"{context.indent(node)}{made}\n"])


def _join_all(context: RefactoringContext, node: Node) -> Proposal | None:
    """Three assignments or more in a row, from the first on, none of which reads what another one of them assigns."""
    above = node.prev_named_sibling
    if above is not None and context.has(above) and following(above) == node and assigned(above) is not None:
        return None
    found: list[tuple[Node, Node]] = []
    last, after = node, node if context.has(node) else None
    while after is not None and context.has(after) and (sides := assigned(after)) is not None:
        found.append(sides)
        last, after = after, following(after)
    texts = [(in_one_line(left), in_one_line(right)) for left, right in found]
    listed = any(part.type in _LISTS or part.type == "assignment" for sides in found for part in sides)
    targets = {text_of(left) for left, _ in found}
    reads = any(text_of(name) in targets for _, right in found for name in [right, *identifiers(right)])
    plain = all(left is not None and right is not None for left, right in texts)
    if not 3 <= len(found) <= 5 or listed or reads or not plain:
        return None
    lefts, rights = (", ".join(str(part) for part in side) for side in zip(*texts, strict=True))
    line = f"{context.indent(node)}{lefts} = {rights}\n"
    title = f"Assign all {len(found)} in one line, one assignment, as a tuple: {lefts}"
    return title, replace_lines(rows(node)[0], rows(last)[1], [line])


def _join(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement"):
        together = _join_all(context, node)
        if together is not None:
            yield together
        below = following(node)
        one, two = assigned(node), assigned(below) if below is not None else None
        if one is None or two is None or below is None:
            continue
        parts = [in_one_line(part) for part in (one[0], two[0], one[1], two[1])]
        if None in parts or any(part.type in _LISTS or part.type == "assignment" for part in (*one, *two)):
            continue
        a, b, x, y = parts
        indent, lines = context.indent(node), (rows(node)[0], rows(below)[1])
        yield (
            f"Assign {a} and {b} in one line, as a tuple",
            replace_lines(*lines, [f"{indent}{a}, {b} = {x}, {y}\n"]),
        )
        if x == y and two[1].type in _ALIKE:
            yield (
                f"Chain the assignment of {a} and {b}",
                replace_lines(*lines, [f"{indent}{a} = {b} = {x}\n"]),
            )
        first, second = (re.fullmatch(r"(.+)\[(-?\d+)\]", str(part)) for part in (x, y))
        if first is not None and second is not None and first[1] == second[1]:
            names = (a, b) if (first[2], second[2]) in (("0", "1"), ("-2", "-1")) else (b, a)
            end = {"0": "", "1": "", "-1": "[-2:]", "-2": "[-2:]"}.get(first[2], "")
            text = f"{indent}{names[0]}, {names[1]} = {first[1]}{end}\n"
            yield f"Unpack {first[1]} into {names[0]} and {names[1]}", replace_lines(*lines, [text])


SPLIT_ASSIGNMENT = Refactoring("split_assignment", "refactor.rewrite.splitAssignment", _split)
JOIN_ASSIGNMENTS = Refactoring("join_assignments", "refactor.rewrite.joinAssignments", _join)
