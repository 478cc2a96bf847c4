"""A clue to a bug, and what its finders share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tree_sitter import Node

from copydesk.syntax.splice import Splice, end_of, start_of

Clue: TypeAlias = Sequence[tuple[str, Splice, float]]
"""What may be meant in place of what stands there, the likeliest first: a title, and how likely it is, in points."""


def instead(node: Node, text: str) -> Splice:
    """`text` in place of a node of one line."""
    return Splice(start_of(node), end_of(node), text)


def below(node: Node, kind: str) -> Iterator[Node]:
    """The nodes of a type in a node, itself among them, in order."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == kind:
            yield one
        waiting += reversed(one.named_children)
