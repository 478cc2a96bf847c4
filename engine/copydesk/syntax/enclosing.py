"""The pieces of syntax round a place, each inside the next."""

from __future__ import annotations

from tree_sitter import Point, Tree


def enclosing(tree: Tree, row: int, column: int) -> list[tuple[Point, Point]]:
    """Where the named nodes round a place begin and end, the smallest first, each span once. Rows are 0-based, columns bytes."""
    node = tree.root_node.named_descendant_for_point_range(Point(row, column), Point(row, column))
    spans: list[tuple[Point, Point]] = []
    while node is not None:
        span = node.start_point, node.end_point
        if span not in spans[-1:]:
            spans.append(span)
        node = node.parent
    return spans
