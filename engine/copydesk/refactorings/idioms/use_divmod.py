"""A quotient and a remainder at once: `divmod`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, following
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import bare, children_of, single_line
from copydesk.syntax.tree import rows, text_of

_INT = re.compile(r"int\((.+?) / ([^()/]+)\)")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement"):
        below = following(node)
        one, two = _parts(node), _parts(below) if below is not None else None
        if (
            one is None
            or two is None
            or below is None
            or not context.has(below)
            or {one[2], two[2]} != {"//", "%"}
        ):
            continue
        read = re.search(rf"(?<![\w.]){re.escape(one[0])}(?!\w)", f"{two[1]}, {two[3]}")
        if one[1] != two[1] or one[3] != two[3] or read is not None:
            continue
        quotient, remainder = (one[0], two[0]) if one[2] == "//" else (two[0], one[0])
        made = f"{quotient}, {remainder} = divmod({one[1]}, {one[3]})"
        line = f"{context.indent(node)}{made}\n"
        yield f"Use divmod: {made}", replace_lines(rows(node)[0], rows(below)[1], [line])


def _parts(statement: Node) -> tuple[str, str, str, str] | None:
    """The target of an assignment, what is divided, the operator, and what it is divided by."""
    only = children_of(statement)[0] if children_of(statement) else statement
    sides = assigned(statement)
    if sides is None and only.type == "augmented_assignment":
        left, sign, right = (only.child_by_field_name(field) for field in ("left", "operator", "right"))
        if left is None or sign is None or right is None or not single_line(only):
            return None
        return text_of(left), text_of(left), text_of(sign).removesuffix("="), text_of(right)
    if sides is None or not single_line(statement):
        return None
    value = bare(sides[1])
    whole = _INT.fullmatch(text_of(value))
    if whole is not None:
        return text_of(sides[0]), whole[1], "//", whole[2]
    left, sign, right = (value.child_by_field_name(field) for field in ("left", "operator", "right"))
    if value.type != "binary_operator" or left is None or sign is None or right is None:
        return None
    return text_of(sides[0]), text_of(left), text_of(sign), text_of(right)


USE_DIVMOD = Refactoring("use_divmod", "refactor.rewrite.useDivmod", _propose)
