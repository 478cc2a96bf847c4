"""A call whose `*values` stand behind keyword arguments (B026): before them, where Python takes them anyway."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import node_at, text_of


class StarAfterKeyword(Handler):
    """The arguments in the places they have, in another order."""

    kinds = frozenset({DiagnosticKind.STAR_AFTER_KEYWORD})

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        node = node_at(context.tree, context.lines, context.diagnostic.start)
        while node is not None and node.type != "argument_list":
            node = node.parent
        if node is None or node.has_error:
            return None
        moved = _behind_keyword(node)
        if any(each.start_point[0] != each.end_point[0] for each in moved):
            return None
        order = sorted(moved, key=lambda each: each.type != "list_splat")
        splices = [
            Splice(start_of(place), end_of(place), text_of(each))
            for place, each in zip(moved, order, strict=True)
        ]
        edit = spliced(context.lines, splices)
        return candidates_of(parsing(context, [edit])) if edit else None


def _behind_keyword(arguments: Node) -> list[Node]:
    """The arguments from the first keyword to the last `*values` behind it; none where a comment stands among them."""
    given = [child for child in arguments.named_children if child.type != "comment"]
    first = next((k for k, each in enumerate(given) if each.type == "keyword_argument"), len(given))
    last = max((k for k, each in enumerate(given) if each.type == "list_splat"), default=-1)
    moved = given[first : last + 1]
    comments = (child.start_byte for child in arguments.named_children if child.type == "comment")
    between = any(moved[0].start_byte < at < moved[-1].end_byte for at in comments if moved)
    return [] if between else moved
