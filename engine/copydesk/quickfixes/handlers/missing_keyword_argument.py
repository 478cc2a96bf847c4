"""A call that should say what it leaves to a default (B905, B028, PLW1510): with that argument.

Knows Python's syntax trees; nothing of tokens, pages or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.request import Diagnostic
from copydesk.syntax.splice import Splice, end_of, spliced
from copydesk.syntax.tree import node_at
from copydesk.text.line_edit import LineEdit

_RULES: tuple[tuple[frozenset[str], re.Pattern[str], str], ...] = (
    (frozenset({"B905"}), re.compile(r"without an explicit `strict", re.IGNORECASE), "strict=False"),
    (frozenset({"B028"}), re.compile(r"no explicit `stacklevel", re.IGNORECASE), "stacklevel=2"),
    (
        frozenset({"PLW1510", "W1510", "subprocess-run-check"}),
        re.compile(r"subprocess\.run[`'\"]? (?:without explicit `check`|used without explicitly)", re.IGNORECASE),
        "check=False",
    ),
)  # fmt: skip


def argument_edits(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> list[tuple[LineEdit, ...]]:
    """The call with the argument; empty where the diagnostic asks for none. Raises: never."""
    text = next(
        (
            text
            for codes, message, text in _RULES
            if diagnostic.code in codes or message.search(diagnostic.message)
        ),
        None,
    )
    if text is None:
        return []
    call = _call(node_at(tree, lines, diagnostic.start))
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if arguments is None or arguments.type != "argument_list" or arguments.has_error:
        return []
    given = [child for child in arguments.named_children if child.type != "comment"]
    if not given:
        return []
    place = end_of(given[-1])
    made = spliced(lines, [Splice(place, place, f", {text}")])
    return [made] if made else []


def _call(node: Node | None) -> Node | None:
    """The call that begins where the node does."""
    start = node.start_point if node is not None else None
    while node is not None and node.start_point == start:
        if node.type == "call":
            return node
        node = node.parent
    return None
