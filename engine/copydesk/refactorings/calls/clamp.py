"""A value kept within a bound: `max(0, …)`, `min(…, limit)`."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    callee,
    is_value,
    mentioned,
    positional,
    replace_expression,
    single_line,
)
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of

_LOWER = frozenset({
    "negative", "below", "least", "less", "fewer", "minimum", "max", "clamp", "clip", "floor", "zero",
})  # fmt: skip
_UPPER = frozenset({
    "above", "most", "more", "larger", "maximum", "min", "clamp", "clip", "cap", "capped", "exceed", "limit", "over",
})  # fmt: skip
"""Words of an instruction about the lowest and the highest value there may be."""
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


CLAMP = Refactoring("clamp", "refactor.rewrite.clamp", _propose)
