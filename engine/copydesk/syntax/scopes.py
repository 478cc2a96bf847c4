"""The names that Python code can use at one place: what the scopes round it bind.

Read off the syntax tree, so that it works on code that does not parse. What a star import binds is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node, Tree

from copydesk.syntax.tree import text_of

_FUNCTIONS = frozenset({"function_definition", "lambda"})
COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_OWNING = frozenset({"module", "class_definition", "function_definition"})
_PATTERNS = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern", "as_pattern_target",
     "tuple", "list", "list_splat", "parenthesized_expression", "splat_pattern"}
)  # fmt: skip
_WITH_VALUE = frozenset({"default_parameter", "typed_default_parameter"})
_DECLARING = frozenset(
    {"parameters", "lambda_parameters", "typed_parameter", "global_statement", "nonlocal_statement", "delete_statement",
     "aliased_import", "keyword_separator", "type_parameter", *_WITH_VALUE}
)  # fmt: skip
_LEFT = frozenset({"assignment", "augmented_assignment", "for_statement", "for_in_clause"})


@dataclass(frozen=True, slots=True)
class Visible:
    """A name that can be used at a place. distance: scopes between the place and the one that binds it, 0 for its own. local:
    whether that is a function, a lambda, or a comprehension. own: whether only the statement at the place binds it. earlier:
    whether it is bound above the place. read: whether its scope uses it anywhere. module: whether `import` binds it.
    """

    name: str
    distance: int
    local: bool
    own: bool
    earlier: bool
    read: bool
    module: bool


@dataclass(frozen=True, slots=True)
class _Bound:
    """The names that a scope binds, each with the rows of the statements that bind it; those it reads, and those of modules."""

    rows: dict[str, list[tuple[int, int]]]
    read: frozenset[str]
    modules: frozenset[str]


def visible_names(tree: Tree, at: tuple[int, int]) -> list[Visible]:
    """The names that can be used at (row, byte column), those of the nearest scope first. Raises: never."""
    leaf = tree.root_node.descendant_for_point_range(at, at)
    statement = _statement(leaf)
    found: dict[str, Visible] = {}
    for distance, scope in enumerate(_scopes(leaf)):
        bound = _module(tree) if scope.parent is None else _bound(scope)
        local = scope.parent is not None and scope.type != "class_definition"
        for name, rows in bound.rows.items():
            own = scope.type in _OWNING and all(statement == each for each in rows)
            earlier = any(first < at[0] or first == at[0] != statement[0] for first, _ in rows)
            read, module = name in bound.read, name in bound.modules
            found.setdefault(name, Visible(name, distance, local, own, earlier, read, module))
    return list(found.values())


def enclosing_class(tree: Tree, at: tuple[int, int]) -> Node | None:
    """The class whose methods the place is in."""
    node = tree.root_node.descendant_for_point_range(at, at)
    while node is not None and node.type != "class_definition":
        node = node.parent
    return node


def _scopes(node: Node | None) -> Iterator[Node]:
    """The scopes that a place can see names of, the nearest first."""
    nearest = True
    below = node
    while node is not None:
        kind = node.type
        inside = below is not None and node.child_by_field_name("body") == below
        own = inside and (kind in _FUNCTIONS or (kind == "class_definition" and nearest))
        if node.parent is None or kind in COMPREHENSIONS or own:
            yield node
            nearest = False
        below, node = node, node.parent


def _statement(node: Node | None) -> tuple[int, int]:
    """The first and last row of the simple statement at a place, or of the head of a compound one."""
    while node is not None and node.parent is not None:
        parent = node.parent
        if parent.type in ("block", "module"):
            body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
            last = body.start_point[0] - 1 if body is not None else node.end_point[0]
            return node.start_point[0], max(last, node.start_point[0])
        node = parent
    return (0, 0)


@lru_cache(2)
def _module(tree: Tree) -> _Bound:
    return _bound(tree.root_node)


def _bound(scope: Node) -> _Bound:
    rows: dict[str, list[tuple[int, int]]] = {}
    read: set[str] = set()
    modules: set[str] = set()
    above = (scope.start_point[0] - 1, scope.start_point[0] - 1)
    for name in _parameters(scope):
        rows.setdefault(text_of(name), []).append(above)
    for node, own in _inside(scope):
        if own:
            for name in _names(node, comprehension=scope.type in COMPREHENSIONS):
                rows.setdefault(text_of(name), []).append(_statement(name))
                if node.type == "import_statement":
                    modules.add(text_of(name))
        if node.type == "identifier" and not _no_use(node):
            read.add(text_of(node))
    return _Bound(rows, frozenset(read), frozenset(modules))


def _inside(scope: Node) -> Iterator[tuple[Node, bool]]:
    """The nodes of a scope, and whether it is the scope that binds what they bind: a scope in it may only read its names. Of what
    stands in a module nobody asks what reads its names.
    """
    body = scope.child_by_field_name("body") if scope.type in (*_FUNCTIONS, "class_definition") else scope
    waiting = [(body, True)] if body is not None else []
    while waiting:
        node, own = waiting.pop()
        yield node, own
        nested = node.type in _FUNCTIONS or node.type in COMPREHENSIONS or node.type == "class_definition"
        if nested and node != scope:
            if scope.parent is None:
                continue
            own = False
        waiting += [(child, own) for child in node.named_children]


def _names(node: Node, *, comprehension: bool) -> Iterator[Node]:
    """The identifiers that a node itself binds."""
    kind = node.type
    if kind in _LEFT and (kind == "for_in_clause") == comprehension:
        yield from _targets([node.child_by_field_name("left")])
    elif kind in ("function_definition", "class_definition", "named_expression"):
        yield from _targets([node.child_by_field_name("name")])
    elif kind == "as_pattern_target" or (kind == "splat_pattern"):
        yield from _targets([node])
    elif kind == "as_pattern" and node.children[-1].type == "identifier":
        yield node.children[-1]
    elif kind == "case_pattern" and len(node.named_children) == 1:
        (child,) = node.named_children
        if child.type == "dotted_name" and child.named_child_count == 1:
            yield child.named_children[0]
    elif kind in ("import_statement", "import_from_statement"):
        for name in node.children_by_field_name("name"):
            yield name.child_by_field_name("alias") or name.named_children[0]


def _targets(nodes: Iterable[Node | None]) -> Iterator[Node]:
    for node in nodes:
        if node is None:
            continue
        if node.type == "identifier":
            yield node
        elif node.type in _PATTERNS:
            yield from _targets(node.named_children)


def _parameters(scope: Node) -> Iterator[Node]:
    listed = scope.child_by_field_name("parameters") if scope.type in _FUNCTIONS else None
    for node in listed.named_children if listed is not None else ():
        if node.type == "typed_parameter" and node.named_children:
            yield from _targets(node.named_children[:1])
        else:
            yield from _targets([node.child_by_field_name("name") or node])


def is_use(node: Node) -> bool:
    """Whether an identifier reads a variable: it is none that is bound, no attribute, no parameter, no argument's name."""
    parent = node.parent
    if parent is not None and parent.type in _DECLARING:
        return parent.type in _WITH_VALUE and parent.named_children[0] != node
    return not _no_use(node)


def _no_use(node: Node) -> bool:
    """Whether an identifier is no use of a name: what is bound, an attribute, the name of an argument."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "attribute":
        return parent.child_by_field_name("attribute") == node
    if parent.type == "keyword_argument":
        return parent.child_by_field_name("name") == node
    if parent.type in ("assignment", "for_statement", "for_in_clause"):
        return parent.child_by_field_name("left") == node
    if parent.type in ("function_definition", "class_definition", "named_expression"):
        return parent.child_by_field_name("name") == node
    if parent.type == "dotted_name":
        return True
    return parent.type in _PATTERNS and parent.type not in ("tuple", "list", "parenthesized_expression")
