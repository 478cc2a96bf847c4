"""A mutable default as `None`, and the value made anew in the body (B006, B008).

How the body makes it, and what becomes of an annotation, is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.kinds import DEFAULT_KINDS, DiagnosticKind
from copydesk.syntax.tree import point
from copydesk.text.document import content, view_line
from copydesk.text.line_edit import LineEdit

_CONTAINERS = frozenset(
    {"list", "dictionary", "set", "list_comprehension", "dictionary_comprehension", "set_comprehension"}
)
_CONSTANT = r"(?:None|True|False|-?\d[\w.]*|[rbfuRBFU]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*'))\s*(?:[,)]|$)"
_SHARED = re.compile(rf"\bdef\b.*=\s*(?!=|{_CONSTANT})|^(?!.*\bdef\b)", re.DOTALL)
"""A function with a default that is more than a constant, or no function."""
_MAKERS = frozenset({b"list", b"dict", b"set", b"defaultdict", b"deque"})


class MutableDefault(Handler):
    """The ways to mend each default that may be meant."""

    kinds = DEFAULT_KINDS

    def candidates(self, context: FixContext) -> Candidates | None:
        return candidates_of((edit,) for edit in _mended_defaults(context))

    def still_applies(self, context: FixContext) -> bool:
        """While a default of the function is more than a constant."""
        return (
            context.kind is DiagnosticKind.CALL_IN_DEFAULT or _SHARED.search(context.statement()) is not None
        )


def _mended_defaults(context: FixContext) -> Iterator[LineEdit]:
    if context.tree is None:
        return
    diagnostic, lines = context.diagnostic, context.lines
    at = point(lines, diagnostic.start.line, diagnostic.start.character)
    node = context.tree.root_node.descendant_for_point_range(at, at)
    while node is not None and node.type not in ("function_definition", "ERROR"):
        node = node.parent
    if node is None or node.type == "ERROR":
        return
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if parameters is None or body is None:
        return
    found = [
        (name, value, child.child_by_field_name("type"))
        for child in parameters.named_children
        if child.type in ("default_parameter", "typed_default_parameter")
        and (name := child.child_by_field_name("name")) is not None
        and (value := child.child_by_field_name("value")) is not None
        and _mutable(value, context.kind)
    ]
    meant = [each for each in found if each[1].start_point == at]
    for name, value, note in meant or found:
        yield from _mended(name, value, note, _first(body), context)


def _mutable(value: Node, kind: DiagnosticKind | None) -> bool:
    """Whether a default is of that kind: any call may be, or only one that makes a container."""
    if value.type != "call":
        return value.type in _CONTAINERS
    made = value.child_by_field_name("function")
    return kind is DiagnosticKind.CALL_IN_DEFAULT or (made is not None and made.text in _MAKERS)


def _mended(
    name: Node, value: Node, note: Node | None, first: Node | None, context: FixContext
) -> Iterator[LineEdit]:
    lines, line = context.lines, value.start_point[0]
    if first is None or value.end_point[0] != line or first.start_point[0] <= line or name.text is None:
        return
    raw = content(lines[line]).encode("utf-8", "replace")
    source = raw[value.start_point[1] : value.end_point[1]].decode()
    head, tail = raw[: value.start_point[1]].decode(), raw[value.end_point[1] :].decode()
    heads = [f"{head}None{tail}"]
    if note is not None and note.start_point[0] == note.end_point[0] == line:
        cut = note.end_point[1]
        heads.insert(0, f"{raw[:cut].decode()} | None{raw[cut : value.start_point[1]].decode()}None{tail}")
    text = content(lines[first.start_point[0]])
    indent = text[: len(text) - len(text.lstrip())]
    unit = context.indent_step()
    own = name.text.decode()
    between = "".join(view_line(each) for each in lines[line + 1 : first.start_point[0]])
    for changed in heads:
        for guard in (
            f"{indent}if {own} is None:\n{indent}{unit}{own} = {source}\n",
            f"{indent}{own} = {source} if {own} is None else {own}\n",
            f"{indent}{own} = {own} or {source}\n",
        ):
            yield LineEdit(line + 1, first.start_point[0], f"{changed}\n{between}{guard}")


def _first(body: Node) -> Node | None:
    """The first statement behind the docstring; None where there is none."""
    statements = [child for child in body.named_children if child.type != "comment"]
    if not statements:
        return None
    first = statements[0]
    documented = (
        first.type == "expression_statement"
        and first.named_children[:1] != []
        and first.named_children[0].type == "string"
    )
    if not documented:
        return first
    return statements[1] if len(statements) > 1 else None
