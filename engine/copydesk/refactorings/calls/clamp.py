"""A value kept within a bound: `max(0, …)`, `min(…, limit)`."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import is_value, mentioned, replace_expression, single_line
from copydesk.refactorings.spoken import spoken_values
from copydesk.syntax.tree import text_of

_LOWER = frozenset({
    "negative", "below", "least", "less", "fewer", "minimum", "max", "clamp", "clip", "floor", "zero",
})  # fmt: skip
_UPPER = frozenset({
    "above", "most", "more", "larger", "maximum", "min", "clamp", "clip", "cap", "capped", "exceed", "limit", "over",
})  # fmt: skip
"""Words of an instruction about the lowest and the highest value there may be."""
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


CLAMP = Refactoring("clamp", "refactor.rewrite.clamp", _propose)
