"""The sub that turns one line into another: what the oracle would write if only subs were allowed."""

from __future__ import annotations

from copydesk.oracle.cost import Cost, PricedLines
from copydesk.oracle.subs import sub_edges
from copydesk.program import Sub
from copydesk.text.document import split_lines

_NEVER = 1 << 20


class _SubsOnly:
    """The prices of `cost`, with gens so expensive that no sub is dropped for one."""

    def __init__(self, cost: Cost) -> None:
        self.copy_cost, self.sub_cost, self.gen_cost = cost.copy_cost, cost.sub_cost, _NEVER
        self.line_tokens, self.text_cost = cost.line_tokens, cost.text_cost


def line_sub(before: str, after: str, cost: Cost) -> Sub | None:
    """The cheapest `Sub(1, 1, old, new)` that turns the line `before` into the line or lines `after` (both with their
    terminators, or both without); None where there is none."""
    lines = split_lines(after)
    prices = _SubsOnly(cost)
    edges = sub_edges(
        PricedLines([before], prices), PricedLines(lines, prices), range(1), range(len(lines)), prices, 1
    )
    whole = [edge for edge in edges if edge.j == 0 and edge.made == len(lines)]
    return min(whole, key=lambda edge: edge.tokens).op if whole else None
