"""The scopes of a module, as its syntax tree opens them, and which of them a node stands in."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from copydesk.syntax.tree import text_of
from copydesk.text.document import view_line
from copydesk_server.renaming.name_roles import PARAMETERS
from copydesk_server.renaming.occurrence import MODULE, Scope

_COMPREHENSIONS = (
    "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
)  # fmt: skip
SCOPES = ("function_definition", "class_definition", "lambda", *_COMPREHENSIONS)


class ScopeTree:
    """scopes: by number, as far as they were opened; whoever reads the tree opens them in the order in which they begin."""

    def __init__(self, root: Node, lines: Sequence[str]) -> None:
        self.scopes = [Scope("module", "", 0, 0, None)]
        self._lines = lines
        self._numbers = {root.id: MODULE}
        self._firsts: dict[int, str] = {}  # the first parameter of each function

    def open(self, node: Node) -> None:
        """`node` begins a scope; those round it are open."""
        self._numbers[node.id] = number = len(self.scopes)
        name = node.child_by_field_name("name")
        at = name if name is not None else node
        kind = {"function_definition": "function", "class_definition": "class", "lambda": "lambda"}.get(
            node.type, "comprehension"
        )
        outer = self.around(node)[0]
        parameters = node.child_by_field_name("parameters")
        given = [_parameter(child) for child in parameters.named_children] if parameters is not None else []
        known = tuple(one for one in given if one)
        splat = parameters is not None and any(
            "dictionary_splat_pattern" in (c.type, *(k.type for k in c.named_children))
            for c in parameters.named_children
        )
        wrapper = (
            node.parent if node.parent is not None and node.parent.type == "decorated_definition" else None
        )
        decorators = tuple(
            text_of(child).lstrip("@ ").partition("(")[0]
            for child in (wrapper.named_children if wrapper is not None else ())
            if child.type == "decorator"
        )
        self.scopes.append(
            Scope(
                kind,
                text_of(name) if name is not None else "",
                at.start_point[0],
                self.column(at),
                outer,
                self._bases(node),
                known,
                splat,
                decorators,
            )
        )
        if kind == "function" and known and given[0]:
            self._firsts[number] = known[0]

    def around(self, node: Node) -> tuple[int, ...]:
        """The scopes that a node stands in, the innermost first."""
        chain: list[int] = []
        child, parent = node, node.parent
        while parent is not None:
            if parent.type in SCOPES and self._inside(child, parent, node):
                chain.append(self._numbers[parent.id])
            child, parent = parent, parent.parent
        return (*chain, MODULE)

    def column(self, node: Node) -> int:
        """Where a node begins in its line, in characters."""
        line, column = node.start_point
        if line >= len(self._lines):
            return 0
        text = view_line(self._lines[line])
        return (
            column
            if text.isascii()
            else len(text.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
        )

    def own_class(self, receiver: str | None, within: Sequence[int]) -> int | None:
        """The class whose method, within the scopes `within`, has `receiver` as its first parameter."""
        for k, number in enumerate(within):
            scope = self.scopes[number]
            outer = within[k + 1] if k + 1 < len(within) else MODULE
            method = scope.kind == "function" and self.scopes[outer].kind == "class"
            if method and self._firsts.get(number) == receiver:
                return None if "staticmethod" in scope.decorators or receiver is None else outer
            if receiver in scope.parameters or scope.kind == "class":
                return None
        return None

    def _bases(self, node: Node) -> tuple[tuple[int, int, str] | None, ...]:
        listed = node.child_by_field_name("superclasses")
        bases: list[tuple[int, int, str] | None] = []
        for base in listed.named_children if listed is not None else ():
            if base.type == "keyword_argument":
                continue
            if base.type == "subscript":  # `Generic[T]`
                base = base.child_by_field_name("value") or base
            text = text_of(base)
            plain = base.type in ("identifier", "attribute") and "\n" not in text
            while base.type == "attribute" and base.named_children:
                base = base.named_children[-1]
            bases.append((base.start_point[0], self.column(base), text) if plain else None)
        return tuple(bases)

    def _inside(self, child: Node, scope: Node, node: Node) -> bool:
        """Whether what stands in `child` of a scope is evaluated in it."""
        if scope.type in _COMPREHENSIONS:
            first = next((c for c in scope.named_children if c.type == "for_in_clause"), None)
            right = first.child_by_field_name("right") if first is not None else None
            return not (child == first and right is not None and _holds(right, node))
        if child.type in PARAMETERS:
            return _is_parameter(node, child)
        if scope.type == "class_definition":
            return child.type in ("block", "type_parameter") or child == scope.child_by_field_name("body")
        if child == scope.child_by_field_name("name"):
            return False
        return scope.type != "function_definition" or child != scope.child_by_field_name("return_type")


def _parameter(node: Node) -> str:
    """The name of a parameter; "" for a separator."""
    while (
        node.type in ("default_parameter", "typed_default_parameter", "typed_parameter")
        and node.named_children
    ):
        node = node.named_children[0]
    if node.type in ("list_splat_pattern", "dictionary_splat_pattern") and node.named_children:
        node = node.named_children[0]
    return text_of(node) if node.type == "identifier" else ""


def _is_parameter(node: Node, parameters: Node) -> bool:
    """Whether it is the name of a parameter, and not its default or annotation."""
    child, parent = node, node.parent
    while parent is not None and child != parameters:
        if parent.type in ("default_parameter", "typed_default_parameter"):
            if child != parent.child_by_field_name("name"):
                return False
        elif parent.type == "typed_parameter":
            if child != parent.named_children[0]:
                return False
        elif parent != parameters and parent.type not in ("list_splat_pattern", "dictionary_splat_pattern"):
            return False
        child, parent = parent, parent.parent
    return True


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
