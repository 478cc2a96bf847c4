"""A call that should say what it leaves to a default (B905, B028, PLW1510): with that argument."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.splice import Splice, end_of, spliced
from copydesk.syntax.tree import node_at, text_of

_ARGUMENTS = {
    DiagnosticKind.ZIP_WITHOUT_STRICT: "strict=False",
    DiagnosticKind.WARNING_WITHOUT_STACKLEVEL: "stacklevel=2",
    DiagnosticKind.RUN_WITHOUT_CHECK: "check=False",
}


class MissingKeywordArgument(Handler):
    """The call with the argument at its end."""

    kinds = frozenset(_ARGUMENTS)
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.kind not in _ARGUMENTS:
            return None
        arguments = _arguments(context)
        if arguments is None or arguments.type != "argument_list" or arguments.has_error:
            return None
        given = [child for child in arguments.named_children if child.type != "comment"]
        if not given:
            return None
        place = end_of(given[-1])
        return candidates_of(
            [spliced(context.lines, [Splice(place, place, f", {_ARGUMENTS[context.kind]}")])]
        )

    def still_applies(self, context: FixContext) -> bool:
        """While some call is there, and the one that begins at the place has no such argument."""
        if "(" not in context.statement():
            return False
        arguments = _arguments(context)
        keyword = _ARGUMENTS[context.kind].partition("=")[0] if context.kind in _ARGUMENTS else ""
        if arguments is None or not keyword:
            return True
        names = [child.child_by_field_name("name") for child in arguments.named_children]
        return all(name is None or text_of(name) != keyword for name in names)


def _arguments(context: FixContext) -> Node | None:
    if context.tree is None:
        return None
    call = _call(node_at(context.tree, context.lines, context.diagnostic.start))
    return call.child_by_field_name("arguments") if call is not None else None


def _call(node: Node | None) -> Node | None:
    """The call that begins where the node does."""
    start = node.start_point if node is not None else None
    while node is not None and node.start_point == start:
        if node.type == "call":
            return node
        node = node.parent
    return None
