"""Which examples of one document are trained on together, on one page.

Every example has the page it is served on. A page also takes examples that are served on a neighbour, where it shows their scope
with lines round it: one document's pages overlap, and which of them is the better one changes with every block that is split.
Knows pages and scopes; no tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from copydesk.paging.page import Page
from copydesk.request import Range

T = TypeVar("T")

EDGE = 16
"""The share (one in so many) of a page's lines that lies round a scope on either side, where the document has them."""

Placed = tuple[T, list[Range], Page]
"""An example, its scope, and the page it is served on."""


def gathered(placed: Sequence[Placed[T]]) -> list[tuple[Page, list[tuple[T, list[Range]]]]]:
    """All examples on as few of their pages as a greedy choice finds, each once, in the order given."""
    pages = list(dict.fromkeys(page for _, _, page in placed))
    takes = {
        page: {k for k, (_, scope, own) in enumerate(placed) if own == page or shows_well(page, scope)}
        for page in pages
    }
    out: list[tuple[Page, list[tuple[T, list[Range]]]]] = []
    left = set(range(len(placed)))
    while left:
        page = max(takes, key=lambda page: len(takes[page]))
        taken = takes.pop(page) & left
        if taken:
            out.append((page, [placed[k][:2] for k in sorted(taken)]))
            left -= taken
            takes = {page: taken & left for page, taken in takes.items()}
    return out


def shows_well(page: Page, scope: Sequence[Range]) -> bool:
    """Whether the page shows the scope, and lines round the part of it that lies in the window."""
    window = page.skip if page.skip is not None else page.header
    if window >= len(page.spans):
        return False
    first, last = page.spans[window][0], page.last
    edge = (last - first + 1) // EDGE
    low = first + edge if first > 1 else 1
    high = last if page.at_end else last - edge
    inside = [r for r in scope if r[0] >= first]
    return bool(inside) and low <= inside[0][0] and inside[-1][1] <= high and page.shows(scope)
