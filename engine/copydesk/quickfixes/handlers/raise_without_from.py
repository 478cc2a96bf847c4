"""An exception raised in a handler without saying what it comes from (B904): from the one that was caught.

`from None` would satisfy a linter as well, but hides what happened, so it stands only where there is nothing to name, and where
an exception that was caught before is raised again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.words import contains_word
from copydesk.request import Diagnostic
from copydesk.syntax.splice import Splice, end_of, spliced
from copydesk.syntax.tree import node_at, text_of
from copydesk.text.line_edit import LineEdit

_BOUND = re.compile(r"^\s*except\b.*\bas\s+(\w+)\s*:", re.MULTILINE)
_FROM = re.compile(r"[)\w]\s+from\s+[\w(]+[\w.()]*\s*(?:#.*)?$", re.MULTILINE)
"""How a statement ends that says the cause."""
_USUAL = ("error", "err", "exc")


class RaiseWithoutFrom(Handler):
    """The statement with its cause; none where there is no statement that lacks one."""

    kinds = frozenset({DiagnosticKind.RAISE_WITHOUT_FROM})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        return candidates_of(_with_cause(context.diagnostic, context.lines, context.tree))

    def still_applies(self, context: FixContext) -> bool:
        """While something is raised there without saying what it comes from."""
        statement = context.statement()
        return contains_word(statement, "raise") and _FROM.search(statement) is None


def _with_cause(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> list[tuple[LineEdit, ...]]:
    statement = _statement(diagnostic, lines, tree)
    handler = _handler(statement) if statement is not None else None
    if statement is None or handler is None:
        return []
    end = end_of(statement)
    caught = handler.child_by_field_name("value")
    if caught is None or _is_caught_outside(statement, handler):  # a bare `except` has nothing to name
        splices = [Splice(end, end, " from None")]
    elif caught.has_error:
        return []
    elif caught.type == "as_pattern":
        alias = caught.child_by_field_name("alias")
        name = text_of(alias) if alias is not None else ""
        if not name.isidentifier():
            return []
        splices = [Splice(end, end, f" from {name}")]
    else:
        name = _free_name(lines, handler)
        place = end_of(caught)
        splices = [Splice(place, place, f" as {name}"), Splice(end, end, f" from {name}")]
    made = spliced(lines, splices)
    return [made] if made else []


def _statement(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> Node | None:
    node = node_at(tree, lines, diagnostic.start)
    while node is not None and node.type != "raise_statement":
        node = node.parent
    complete = node is not None and (
        node.child_by_field_name("cause") is not None or not node.named_child_count
    )
    return None if node is None or complete or node.has_error else node


def _handler(statement: Node) -> Node | None:
    """The `except` the statement is in, of the same function."""
    node = statement.parent
    while node is not None and node.type not in ("except_clause", "except_group_clause"):
        if node.type in ("function_definition", "class_definition"):
            return None
        node = node.parent
    return node


def _is_caught_outside(statement: Node, handler: Node) -> bool:
    """Whether what is raised is what a handler round this one has caught: the exception here came of that one, and not the other
    way round; each as the other's cause would be a circle.
    """
    raised = statement.named_children[0]
    outer = _handler(handler)
    while outer is not None:
        caught = outer.child_by_field_name("value")
        alias = caught.child_by_field_name("alias") if caught is not None else None
        if alias is not None and raised.type == "identifier" and text_of(raised) == text_of(alias):
            return True
        outer = _handler(outer)
    return False


def _free_name(lines: Sequence[str], handler: Node) -> str:
    """What this document calls exceptions, if the handler does not use it for something else."""
    used = Counter(_BOUND.findall("".join(lines)))
    words = set(re.findall(r"\w+", (handler.text or b"").decode("utf-8", "replace")))
    names = [name for name, _ in used.most_common()] + [*_USUAL]
    return next((name for name in names if name not in words), "caught")
