"""Every place of a module where one of some names stands, and the variable it means, by Python's scoping rules.

Attributes, keywords of calls and imported names mean nothing by themselves: they are told apart, and left to who knows other
files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from tree_sitter import Node

from copydesk.syntax.tree import parse, text_of
from copydesk.text.document import split_lines, view_line

MODULE = 0
"""The scope of a module's own names; others are numbered in the order in which they begin."""

DEEPEST = 500
"""Nodes inside each other; a tree that is deeper is taken for broken."""

_COMPREHENSIONS = (
    "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
)  # fmt: skip
_SCOPES = ("function_definition", "class_definition", "lambda", *_COMPREHENSIONS)
_PATTERNS = (
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern", "parenthesized_expression",
    "as_pattern_target", "tuple", "list", "expression_list", "list_splat",
)  # fmt: skip
"""What targets of assignments may be inside of."""
_TARGETS = {
    "assignment": "left", "augmented_assignment": "left", "for_statement": "left", "for_in_clause": "left",
    "named_expression": "name", "function_definition": "name", "class_definition": "name", "aliased_import": "alias",
    "as_pattern": "alias", "type_alias_statement": "left",
}  # fmt: skip
"""The field in which a node holds what it gives a value."""
_PARAMETERS = ("parameters", "lambda_parameters")


class Role(Enum):
    """What a name does where it stands."""

    VARIABLE = auto()
    ATTRIBUTE = auto()
    KEYWORD = auto()
    """Of an argument in a call."""
    IMPORTED = auto()
    """Taken from a module (`from m import name`)."""
    MODULE_PATH = auto()
    """A part of a module's own name in an import."""
    EXPORTED = auto()
    """A string in `__all__`."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in the text. line: 0-based; column, end: in characters. scope: of the variable it means or makes, None where it is
    none of the module's. binds: whether the variable is given a value here, or declared. within: the scopes round it, the
    innermost first. of_class: the class whose method reads or writes it at its own instance. assigned: whether a plain
    assignment gives it its value.
    """

    name: str
    line: int
    column: int
    role: Role
    scope: int | None = None
    binds: bool = False
    within: tuple[int, ...] = (MODULE,)
    of_class: int | None = None
    doubtful: bool = False
    """In a class body a name may mean another variable before it is given a value there."""
    receiver: str | None = None
    """Of an attribute: the variable in front of the first dot, where it is one."""
    assigned: bool = False
    callee: tuple[int, int, str] | None = None
    """Of a keyword: (line, column) of the last name of what is called, and the text of all arguments."""
    alias: str | None = None
    """Of an imported name or module: what it is called instead."""

    @property
    def end(self) -> int:
        return self.column + len(self.name)


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, class, lambda or comprehension, or the module. line: 0-based, where its name stands, or it begins.

    name: "" where it has none. bases: of a class, as (line, column of the last name, text), and None for what is no plain base.
    parameters: by name.
    """

    kind: str
    name: str
    line: int
    column: int
    outer: int | None
    bases: tuple[tuple[int, int, str] | None, ...] = ()
    parameters: tuple[str, ...] = ()
    takes_any_keyword: bool = False
    decorators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Module:
    """What was found. star_imports: whether names may come from elsewhere unseen. broken: the line of the first syntax error, or
    of what is nested too deeply."""

    lines: tuple[str, ...]
    scopes: tuple[Scope, ...]
    occurrences: tuple[Occurrence, ...]
    star_imports: bool
    broken: int | None

    def of(self, name: str) -> Iterator[Occurrence]:
        """The places of one name."""
        return (found for found in self.occurrences if found.name == name)


def analyse(text: str, names: Collection[str]) -> Module:
    """The places of `names` in a module. Raises: never."""
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    return _Analysis(lines, frozenset(names)).run(tree.root_node)


@dataclass(slots=True)
class _Found:
    node: Node
    name: str
    line: int
    column: int
    role: Role
    binds: bool
    within: tuple[int, ...]
    declared: str | None
    parameter: bool = False


class _Analysis:
    def __init__(self, lines: Sequence[str], names: frozenset[str]) -> None:
        self._lines, self._names = lines, names
        self._numbers: dict[int, int] = {}
        self._scopes: list[Scope] = []
        self._found: list[_Found] = []
        self._star = False
        self._firsts: dict[int, str] = {}  # the first parameter of each function

    def run(self, root: Node) -> Module:
        self._scopes.append(Scope("module", "", 0, 0, None))
        self._numbers[root.id] = MODULE
        strings: list[Node] = []
        waiting, broken = [(root, 0)], None
        while waiting:
            node, depth = waiting.pop()
            if node.type == "ERROR" or node.is_missing or depth > DEEPEST:
                broken = node.start_point[0] + 1 if broken is None else min(broken, node.start_point[0] + 1)
            if depth > DEEPEST:
                continue
            if node.type in _SCOPES:
                self._open(node)
            elif node.type == "wildcard_import":
                self._star = True
            elif node.type == "identifier" and text_of(node) in self._names:
                self._identifier(node)
            elif node.type == "string":
                strings.append(node)
            waiting += ((child, depth + 1) for child in reversed(node.children))
        for node in strings:
            self._string(node)
        self._found.sort(key=lambda found: (found.line, found.column))
        return Module(
            tuple(self._lines), tuple(self._scopes), tuple(self._resolved()), self._star, broken
        )  # fmt: skip

    # -- scopes --------------------------------------------------------------------------------------------------------

    def _open(self, node: Node) -> None:
        self._numbers[node.id] = number = len(self._scopes)
        name = node.child_by_field_name("name")
        at = name if name is not None else node
        kind = {"function_definition": "function", "class_definition": "class", "lambda": "lambda"}.get(
            node.type, "comprehension"
        )
        outer = self._around(node)[0]
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
        self._scopes.append(
            Scope(
                kind,
                text_of(name) if name is not None else "",
                at.start_point[0],
                self._column(at),
                outer,
                self._bases(node),
                known,
                splat,
                decorators,
            )
        )
        if kind == "function" and known and given[0]:
            self._firsts[number] = known[0]

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
            bases.append((base.start_point[0], self._column(base), text) if plain else None)
        return tuple(bases)

    def _around(self, node: Node) -> tuple[int, ...]:
        """The scopes that a node stands in, the innermost first."""
        chain: list[int] = []
        child, parent = node, node.parent
        while parent is not None:
            if parent.type in _SCOPES and self._inside(child, parent, node):
                chain.append(self._numbers[parent.id])
            child, parent = parent, parent.parent
        return (*chain, MODULE)

    def _inside(self, child: Node, scope: Node, node: Node) -> bool:
        """Whether what stands in `child` of a scope is evaluated in it."""
        if scope.type in _COMPREHENSIONS:
            first = next((c for c in scope.named_children if c.type == "for_in_clause"), None)
            right = first.child_by_field_name("right") if first is not None else None
            return not (child == first and right is not None and _holds(right, node))
        if child.type in _PARAMETERS:
            return _is_parameter(node, child)
        if scope.type == "class_definition":
            return child.type in ("block", "type_parameter") or child == scope.child_by_field_name("body")
        if child == scope.child_by_field_name("name"):
            return False
        return scope.type != "function_definition" or child != scope.child_by_field_name("return_type")

    # -- names ---------------------------------------------------------------------------------------------------------

    def _identifier(self, node: Node) -> None:
        role, binds, declared = _role(node)
        within = self._around(node)
        parent = node.parent
        if parent is not None and parent.type == "named_expression" and binds:
            skipped = 0
            while self._scopes[within[skipped]].kind == "comprehension":
                skipped += 1
            within = within[skipped:]
        self._add(node, text_of(node), node.start_point[0], self._column(node), role, binds, within, declared)

    def _string(self, node: Node) -> None:
        """Names in a quoted annotation, and in `__all__`."""
        raw = text_of(node)
        quote = raw[:1]
        if (
            "\\" in raw
            or "\n" in raw
            or quote not in "'\""
            or raw.startswith(quote * 3)
            or not raw.endswith(quote)
        ):
            return
        inner, line, column = raw[1:-1], node.start_point[0], self._column(node) + 1
        if inner in self._names and _is_exported(node):
            self._add(node, inner, line, column, Role.EXPORTED, False, (MODULE,), None)
        elif _is_annotation(node) and _is_expression(inner):
            for found in re.finditer(r"(?<!\w)[^\W\d]\w*", inner):
                if found[0] in self._names:
                    role = Role.ATTRIBUTE if inner[: found.start()].rstrip().endswith(".") else Role.VARIABLE
                    at = column + found.start()
                    self._add(node, found[0], line, at, role, False, self._around(node), None)

    def _add(
        self, node: Node, name: str, line: int, column: int, role: Role, binds: bool, within: tuple[int, ...],
        declared: str | None,
    ) -> None:  # fmt: skip
        self._found.append(_Found(node, name, line, column, role, binds, within, declared))

    def _column(self, node: Node) -> int:
        line, column = node.start_point
        if line >= len(self._lines):
            return 0
        text = view_line(self._lines[line])
        return (
            column
            if text.isascii()
            else len(text.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
        )

    # -- variables -----------------------------------------------------------------------------------------------------

    def _resolved(self) -> Iterator[Occurrence]:
        bound: dict[str, set[int]] = {name: set() for name in self._names}
        declared: dict[tuple[str, int], str] = {}
        for found in self._found:
            if found.declared is not None:
                declared[found.name, found.within[0]] = found.declared
        for found in self._found:
            if found.binds and found.declared is None and found.role is not Role.ATTRIBUTE:
                how = declared.get((found.name, found.within[0]))
                if how is None:
                    bound[found.name].add(found.within[0])
                elif how == "global":
                    bound[found.name].add(MODULE)
        for found in self._found:
            scope, doubtful = None, False
            attribute = found.role is Role.ATTRIBUTE
            if not attribute and (found.role in (Role.VARIABLE, Role.EXPORTED) or found.binds):
                scope, doubtful = self._scope_of(found, bound[found.name], declared)
            receiver = _receiver(found.node) if attribute and found.node.type == "identifier" else None
            yield Occurrence(
                found.name, found.line, found.column, found.role, scope, found.binds, found.within,
                self._own_class(found) if receiver is not None else None, doubtful, receiver,
                found.binds and _is_assigned(found.node),
                self._callee(found.node) if found.role is Role.KEYWORD else None,
                _alias(found.node),
            )  # fmt: skip

    def _scope_of(
        self, found: _Found, bound: set[int], declared: dict[tuple[str, int], str]
    ) -> tuple[int | None, bool]:
        for number in found.within:
            innermost = number == found.within[0]
            kind = self._scopes[number].kind
            if kind == "class" and not innermost:
                continue
            how = declared.get((found.name, number))
            if how == "global":
                return (MODULE if MODULE in bound else None), False
            if how == "nonlocal":
                continue
            if number in bound:
                outer = any(n in bound for n in found.within[1:])
                return number, kind == "class" and not found.binds and outer
        return None, False

    def _callee(self, keyword: Node) -> tuple[int, int, str] | None:
        arguments = keyword.parent.parent if keyword.parent is not None else None
        call = arguments.parent if arguments is not None else None
        called = call.child_by_field_name("function") if call is not None else None
        while called is not None and called.type == "attribute":
            called = called.child_by_field_name("attribute")
        if arguments is None or called is None or called.type != "identifier":
            return None
        return called.start_point[0], self._column(called), text_of(arguments)

    def _own_class(self, found: _Found) -> int | None:
        """The class whose method has the receiver of an attribute as its first parameter."""
        receiver = _receiver(found.node, alone=True)
        for k, number in enumerate(found.within):
            scope = self._scopes[number]
            outer = found.within[k + 1] if k + 1 < len(found.within) else MODULE
            method = scope.kind == "function" and self._scopes[outer].kind == "class"
            if method and self._firsts.get(number) == receiver:
                return None if "staticmethod" in scope.decorators or receiver is None else outer
            if receiver in scope.parameters or scope.kind == "class":
                return None
        return None


def _role(node: Node) -> tuple[Role, bool, str | None]:
    """What an identifier does, whether it gives its variable a value, and how it declares it."""
    parent = node.parent
    assert parent is not None
    if parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
        return Role.ATTRIBUTE, _is_target(parent), None
    if parent.type == "keyword_argument" and parent.child_by_field_name("name") == node:
        return Role.KEYWORD, False, None
    if parent.type == "keyword_pattern" and parent.named_children[0] == node:
        return Role.ATTRIBUTE, False, None
    if parent.type == "dotted_name":
        return _in_dotted_name(node, parent)
    if parent.type in ("global_statement", "nonlocal_statement"):
        return Role.VARIABLE, True, parent.type.partition("_")[0]
    return Role.VARIABLE, _is_target(node), None


def _in_dotted_name(node: Node, dotted: Node) -> tuple[Role, bool, str | None]:
    above = dotted.parent
    first = dotted.named_children[0] == node
    aliased = above is not None and above.type == "aliased_import"
    statement = above.parent if aliased and above is not None else above
    if statement is not None and statement.type in ("import_from_statement", "future_import_statement"):
        if dotted == statement.child_by_field_name("module_name") or not _is_only(node, dotted):
            return Role.MODULE_PATH, False, None
        return Role.IMPORTED, not aliased, None
    if statement is not None and statement.type == "import_statement":
        return Role.MODULE_PATH, first and not aliased, None
    if statement is not None and statement.type == "relative_import":
        return Role.MODULE_PATH, False, None
    # A pattern: one name catches a value, names with dots are looked up; a class is looked up as well.
    if not first:
        return Role.ATTRIBUTE, False, None
    caught = _is_only(node, dotted) and above is not None and above.type != "class_pattern"
    return Role.VARIABLE, caught, None


def _is_only(node: Node, dotted: Node) -> bool:
    return len(dotted.named_children) == 1 and dotted.named_children[0] == node


def _is_target(node: Node) -> bool:
    """Whether an identifier is what a statement gives a value."""
    child, parent = node, node.parent
    while parent is not None and parent.type in _PATTERNS:
        child, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in ("case_pattern", "splat_pattern", "delete_statement", "type_parameter"):
        return parent.type != "delete_statement" or child.type != "parenthesized_expression"
    if parent.type == "as_pattern":
        inner = parent.parent is not None and parent.parent.type == "case_pattern"
        return child == parent.child_by_field_name("alias") or (inner and child == parent.named_children[-1])
    if parent.type in _PARAMETERS:
        return True
    if parent.type in ("default_parameter", "typed_default_parameter"):
        return child == parent.child_by_field_name("name")
    if parent.type == "typed_parameter":
        return child == parent.named_children[0]
    if parent.type == "type":  # of a type's own parameter, and the name of a type alias
        above = parent.parent
        if above is not None and above.type == "type_alias_statement":
            return above.child_by_field_name("left") == parent
        return above is not None and above.type == "type_parameter" and _defines_type(above)
    if parent.type == "except_clause":
        return child == parent.child_by_field_name("alias")
    field = _TARGETS.get(parent.type)
    return field is not None and child == parent.child_by_field_name(field)


def _defines_type(parameter: Node) -> bool:
    return parameter.parent is not None and parameter.parent.type in (
        "function_definition",
        "class_definition",
    )


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


def _alias(node: Node) -> str | None:
    dotted = node.parent
    above = dotted.parent if dotted is not None and dotted.type == "dotted_name" else None
    if above is None or above.type != "aliased_import" or dotted is None or dotted.named_children[-1] != node:
        return None
    alias = above.child_by_field_name("alias")
    return text_of(alias) if alias is not None else None


def _is_assigned(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "assignment"


def _receiver(node: Node, *, alone: bool = False) -> str | None:
    """The variable in front of the first dot. alone: only where nothing else stands before the name."""
    attribute = node.parent
    of = attribute.child_by_field_name("object") if attribute is not None else None
    while not alone and of is not None and of.type == "attribute":
        of = of.child_by_field_name("object")
    return text_of(of) if of is not None and of.type == "identifier" else None


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _is_annotation(node: Node) -> bool:
    """Whether a string stands for a type: in an annotation, and no argument or member of `Literal`."""
    child, parent = node, node.parent
    while parent is not None and not parent.type.endswith(("statement", "block", "module", "parameters")):
        if parent.type in ("call", "argument_list"):
            return False
        if parent.type in ("generic_type", "subscript"):
            head = text_of(parent.named_children[0]).rpartition(".")[2]
            if head in ("Literal", "Annotated"):
                return False
        if parent.type == "type" and (
            parent.parent is None or parent.parent.type not in ("type_parameter", "generic_type")
        ):
            return True
        if child.type == "assignment":
            return False
        child, parent = parent, parent.parent
    return False


def _is_exported(node: Node) -> bool:
    above = node.parent
    if above is None or above.type not in ("list", "tuple", "set"):
        return False
    statement = above.parent
    while statement is not None and statement.type in ("binary_operator", "parenthesized_expression"):
        statement = statement.parent
    if statement is None:
        return False
    if statement.type in ("assignment", "augmented_assignment"):
        left = statement.child_by_field_name("left")
        return left is not None and text_of(left) == "__all__"
    call = statement.parent if statement.type == "argument_list" else None
    return call is not None and text_of(call).startswith("__all__.")


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
