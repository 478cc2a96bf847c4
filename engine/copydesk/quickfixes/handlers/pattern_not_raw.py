"""A regular expression in a plain string (RUF043): a raw string of the same value, so that it is seen to be one."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.syntax.splice import Splice, spliced, start_of
from copydesk.syntax.tree import node_at, text_of


class PatternNotRaw(Handler):
    """Each of its strings with the prefix; where one has a backslash or a prefix, the model writes."""

    kinds = frozenset({DiagnosticKind.PATTERN_NOT_RAW})

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        node = node_at(context.tree, context.lines, context.diagnostic.start)
        while node is not None and node.type not in ("string", "concatenated_string"):
            node = node.parent
        if node is None or node.has_error:
            return None
        whole = node.parent if node.parent is not None and node.parent.type == "concatenated_string" else node
        strings = [whole] if whole.type == "string" else whole.named_children
        if not all(map(_plain, strings)):
            return None
        edit = spliced(context.lines, [Splice(start_of(each), start_of(each), "r") for each in strings])
        return candidates_of(parsing(context, [edit])) if edit else None


def _plain(string: Node) -> bool:
    text = text_of(string)
    return string.type == "string" and text[:1] in ("'", '"') and "\\" not in text
