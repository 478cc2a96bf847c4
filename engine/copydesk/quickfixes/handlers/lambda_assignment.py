"""A lambda bound to a name, as the function it is (E731). Only the place of a comment is left to choose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.request import Diagnostic
from copydesk.syntax.fragment import error_line
from copydesk.syntax.tree import node_at
from copydesk.text.document import content, terminator, view_line
from copydesk.text.line_edit import LineEdit

_ASSIGNED = re.compile(r"=\s*[(\s]*lambda\b")
_BRACKETED = frozenset(
    {"parenthesized_expression", "list", "dictionary", "set", "tuple", "generator_expression"}
    | {"list_comprehension", "dictionary_comprehension", "set_comprehension"}
)


class LambdaAssignment(Handler):
    """The function that stands for the lambda, with a comment in one of two places."""

    kinds = frozenset({DiagnosticKind.LAMBDA_ASSIGNMENT})

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        return candidates_of((edit,) for edit in _functions(context, context.tree))

    def still_applies(self, context: FixContext) -> bool:
        """While the statement assigns a lambda."""
        return _ASSIGNED.search(context.statement()) is not None


def _functions(context: FixContext, tree: Tree) -> list[LineEdit]:
    lines = context.lines
    node = _assignment(context.diagnostic, lines, tree)
    if node is None:
        return []
    name, made = node.child_by_field_name("left"), node.child_by_field_name("right")
    while made is not None and made.type == "parenthesized_expression":
        inner = [child for child in made.named_children if child.type != "comment"]
        if len(inner) != made.named_child_count:
            return []
        made = inner[0] if inner else None
    if name is None or name.type != "identifier" or made is None or made.type != "lambda":
        return []
    parameters, body = made.child_by_field_name("parameters"), made.child_by_field_name("body")
    if body is None:
        return []
    first, last = node.start_point[0], node.end_point[0]
    head = view_line(lines[first]).encode("utf-8", "replace")[: node.start_point[1]].decode()
    tail = content(lines[last]).encode("utf-8", "replace")[node.end_point[1] :].decode().rstrip()
    if head.strip() or (tail and not tail.lstrip().startswith("#")):
        return []
    value = _source(body)
    if "\n" in value and body.type not in _BRACKETED:
        value = f"({value})"
    opening = f"{head}def {_source(name)}({_source(parameters) if parameters is not None else ''}):"
    closing = f"{head}{context.indent_step()}return {value}"
    end = "\n" if terminator(lines[last]) else ""
    texts = [f"{opening}\n{closing}{tail}{end}"]
    if tail:
        texts.append(f"{opening}{tail}\n{closing}{end}")
    outer = "".join(f"{head[:depth]}if 1:\n" for depth in ([0] if head else []))
    return [LineEdit(first + 1, last + 1, text) for text in texts if error_line(outer + text) is None]


def _assignment(diagnostic: Diagnostic, lines: Sequence[str], tree: Tree) -> Node | None:
    node = node_at(tree, lines, diagnostic.start)
    while node is not None and (node.parent is None or node.parent.type != "expression_statement"):
        node = node.parent
    return node if node is not None and node.type == "assignment" and not node.has_error else None


def _source(node: Node) -> str:
    return (node.text or b"").decode()
