"""A mutable default of a class (RUF012): annotated with `ClassVar[…]`, which is imported where that is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of, parsing
from copydesk.quickfixes.handlers.missing_import import importable
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.words import contains_word
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import node_at, text_of
from copydesk.text.line_edit import LineEdit

_TYPES = {
    "list": "list", "list_comprehension": "list", "dictionary": "dict", "dictionary_comprehension": "dict",
    "set": "set", "set_comprehension": "set",
}  # fmt: skip
_MAKERS = frozenset({"list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter"})
_LITERALS = {"string": "str", "integer": "int", "float": "float", "true": "bool", "false": "bool"}
_TYPING = re.compile(r"^import typing(?: as (\w+))?\s*(?:#.*)?$", re.MULTILINE)


class MutableClassDefault(Handler):
    """The attribute with `ClassVar` round its type: its own, or that of the value with the types of its elements or without."""

    kinds = frozenset({DiagnosticKind.MUTABLE_CLASS_DEFAULT})
    widens_scope = True

    def candidates(self, context: FixContext) -> Candidates | None:
        if context.tree is None:
            return None
        node = node_at(context.tree, context.lines, context.diagnostic.start)
        while node is not None and node.type != "assignment":
            node = node.parent
        name = node.child_by_field_name("left") if node is not None else None
        value = node.child_by_field_name("right") if node is not None else None
        if node is None or name is None or value is None or name.type != "identifier" or node.has_error:
            return None
        imported = _class_var(context)
        if imported is None or not _in_class(node):
            return None
        class_var, imports = imported
        edits = [(*imports, *annotated) for annotated in _annotated(node, name, value, class_var, context)]
        return candidates_of(parsing(context, edits))

    def still_applies(self, context: FixContext) -> bool:
        """While the attribute is given something and not annotated as one of the class."""
        statement = context.statement()
        return "=" in statement and not any(contains_word(statement, word) for word in ("ClassVar", "Final"))


def _in_class(assignment: Node) -> bool:
    statement = assignment.parent
    block = statement.parent if statement is not None else None
    return block is not None and block.parent is not None and block.parent.type == "class_definition"


def _annotated(
    assignment: Node, name: Node, value: Node, class_var: str, context: FixContext
) -> Iterator[tuple[LineEdit, ...]]:
    own = assignment.child_by_field_name("type")
    if own is not None:
        if own.start_point[0] == own.end_point[0]:
            splice = Splice(start_of(own), end_of(own), f"{class_var}[{text_of(own)}]")
            yield spliced(context.lines, [splice])
        return
    place = end_of(name)
    for kind in dict.fromkeys(_kinds(value)):
        yield spliced(context.lines, [Splice(place, place, f": {class_var}[{kind}]")])


def _kinds(value: Node) -> Iterator[str]:
    """The types the value may be said to have, the most exact one first."""
    if value.type == "call":
        function = value.child_by_field_name("function")
        made = text_of(function).rpartition(".")[2] if function is not None else ""
        if made in _MAKERS and function is not None:
            yield text_of(function)
        return
    if value.type not in _TYPES:
        return
    kind = _TYPES[value.type]
    elements = [child for child in value.named_children if child.type != "comment"]
    if kind == "dict":
        keys = [child.child_by_field_name("key") for child in elements if child.type == "pair"]
        values = [child.child_by_field_name("value") for child in elements if child.type == "pair"]
        both = (_shared(keys), _shared(values)) if len(keys) == len(elements) else (None, None)
        if both[0] is not None and both[1] is not None:
            yield f"dict[{both[0]}, {both[1]}]"
    elif (shared := _shared(elements)) is not None:
        yield f"{kind}[{shared}]"
    yield kind


def _shared(elements: list[Node] | list[Node | None]) -> str | None:
    """The type of all elements, where they are literals of one."""
    found = {_LITERALS.get(each.type) if each is not None else None for each in elements}
    return found.pop() if len(found) == 1 else None


def _class_var(context: FixContext) -> tuple[str, tuple[LineEdit, ...]] | None:
    """How `ClassVar` is written in the document, and the import that this needs."""
    lines = context.lines
    block = import_block(lines, "python", context.header_lines or None)
    if block is None:
        first = import_point(lines, "python")
        block = (first, first - 1)
    text = "".join(lines[block[0] - 1 : block[1]])
    if contains_word(text, "ClassVar"):
        return "ClassVar", ()
    module = _TYPING.search(text.replace("\r", ""))
    if module is not None:
        return f"{module.group(1) or 'typing'}.ClassVar", ()
    found = importable("ClassVar", lines, block)
    return ("ClassVar", (found.edits[0],)) if found is not None else None
