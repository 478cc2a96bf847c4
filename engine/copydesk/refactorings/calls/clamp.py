"""A value kept within a bound: `max(0, …)`, `min(…, limit)`; an `if` or two that do so as these calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, has_comment, next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import (
    callee,
    is_value,
    mentioned,
    positional,
    replace_expression,
    single_line,
)
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import rows, text_of

_LOWER = frozenset({
    "negative", "below", "least", "less", "fewer", "minimum", "max", "clamp", "clip", "floor", "zero",
})  # fmt: skip
_UPPER = frozenset({
    "above", "most", "more", "larger", "maximum", "min", "clamp", "clip", "cap", "capped", "exceed", "limit", "over",
})  # fmt: skip
"""Words of an instruction about the lowest and the highest value there may be."""
_COMPARED = re.compile(r"([^<>=!]+?) (<=?|>=?) ([^<>=!]+)")
_TURNED = str.maketrans("<>", "><")
_NUMBERS = ("integer", "float", "unary_operator")
_HOLDERS = ("assignment", "return_statement", "argument_list", "keyword_argument")
_KINDS = (
    "identifier",
    "attribute",
    "call",
    "binary_operator",
    "subscript",
    "unary_operator",
    "parenthesized_expression",
)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _unbounded(context)
    yield from _compared(context)
    numbers = [
        value for value in spoken_values(arguments) if value.lstrip("-").replace(".", "", 1).isdigit()
    ][:2]
    known = (name for name in arguments.names[:3] if context.knows(name))
    bounds: dict[str, tuple[str, ...]] = {
        "max": (*numbers, "0", "1") if arguments.words & _LOWER else (),
        "min": (*numbers, *known) if arguments.words & _UPPER else (),
    }
    for node in mentioned(context.walk(*_KINDS), arguments) if any(bounds.values()) else ():
        if (
            node.parent is None
            or node.parent.type not in _HOLDERS
            or not is_value(node)
            or not single_line(node)
        ):
            continue
        text = text_of(node)
        if node.type == "parenthesized_expression":
            text = text[1:-1]
        for function, values in bounds.items():
            side = "above" if function == "max" else "below"
            for bound in dict.fromkeys(values):
                given = [bound, text] if function == "max" else [text, bound]
                for order, sign in ((given, ":"), (given[::-1], ",")):
                    made = replace_expression(context, node, f"{function}({', '.join(order)})")
                    yield f"Keep {text} at {bound} or {side}{sign} {function}", made


def _unbounded(context: RefactoringContext) -> Iterator[Proposal]:
    """A value that may be what it is, however high or low: without `max` or `min` and the number there."""
    for call in context.walk("call"):
        given, function = positional(call), callee(call)
        numbers = [one for one in given or () if one.type in _NUMBERS]
        if function not in ("max", "min") or given is None or len(given) != 2 or len(numbers) != 1:
            continue
        (kept,) = (text_of(one) for one in given if one not in numbers)
        bound = text_of(numbers[0])
        side = "below" if function == "max" else "above"
        side = "negative, below" if (side, bound) == ("below", "0") else side
        title = f"Allow it to be {side} {bound}, no {function}(), no limit: {kept}"
        yield title, replace_expression(context, call, kept)


def _compared(context: RefactoringContext) -> Iterator[Proposal]:
    """`if a < b: a = b` as `a = max(a, b)`, and two of them for both bounds as one statement."""
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        limits = [limit for clause in clauses if (limit := _limit(clause)) is not None]
        if not limits or len(limits) < len(clauses) or has_comment(context, *rows(node)):
            continue
        (target, function, bound), first, indent = limits[0], rows(node)[0], context.indent(node)
        if len(limits) == 1:
            made = f"{target} = {function}({target}, {bound})"
            yield f"Use {function}(): {made}", replace_lines(*rows(node), [f"{indent}{made}\n"])
            behind = next_statement(node)
            below = (
                clauses_of(context, behind) if behind is not None and behind.type == "if_statement" else ()
            )
            limits += [limit for clause in below if (limit := _limit(clause)) is not None]
            if behind is None or len(limits) != 1 + len(below) or has_comment(context, *rows(behind)):
                continue
            node = behind
        if len(limits) == 2 and limits[1][0] == target and limits[1][1] != function:
            bounds = {name: value for _, name, value in limits}
            made = f"{target} = max({bounds['max']}, min({target}, {bounds['min']}))"
            title = f"Clamp by min() and max(), clip, limit to both: {made}"
            yield title, replace_lines(first, rows(node)[1], [f"{indent}{made}\n"])


def _limit(clause: Clause) -> tuple[str, str, str] | None:
    """What an `if` or `elif` keeps within a bound, by which function, and the bound; None for any other."""
    sides = assigned(clause.statements[0]) if len(clause.statements) == 1 else None
    found = _COMPARED.fullmatch(text_of(clause.test)) if clause.test is not None else None
    if sides is None or found is None:
        return None
    (left, sign, right), (target, bound) = found.groups(), map(text_of, sides)
    if (left, right) == (bound, target):
        left, right, sign = right, left, sign.translate(_TURNED)
    return (target, "max" if "<" in sign else "min", bound) if (left, right) == (target, bound) else None


CLAMP = Refactoring("clamp", "refactor.rewrite.clamp", _propose)
