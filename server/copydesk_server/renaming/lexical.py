"""Every place of a module where one of some names stands, and the variable it means, by Python's scoping rules.

Attributes, keywords of calls and imported names mean nothing by themselves: they are told apart, and left to who knows other
files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from copydesk.syntax.tree import parse, text_of
from copydesk.text.document import split_lines
from copydesk_server.renaming.name_roles import alias_of, is_assigned, receiver_of, role_of
from copydesk_server.renaming.occurrence import MODULE, Module, Occurrence, Role
from copydesk_server.renaming.quoted_names import quoted_names
from copydesk_server.renaming.scopes import SCOPES, ScopeTree

DEEPEST = 500
"""Nodes inside each other; a tree that is deeper is taken for broken."""


def analyse(text: str, names: Collection[str]) -> Module:
    """The places of `names` in a module. Raises: never."""
    lines = split_lines(text)
    tree = parse(lines, "python")
    assert tree is not None
    return _Analysis(tree.root_node, lines, frozenset(names)).run()


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


class _Analysis:
    def __init__(self, root: Node, lines: Sequence[str], names: frozenset[str]) -> None:
        self._root, self._lines, self._names = root, lines, names
        self._tree = ScopeTree(root, lines)
        self._found: list[_Found] = []

    def run(self) -> Module:
        strings: list[Node] = []
        star = False
        waiting: list[tuple[Node, int]] = [(self._root, 0)]
        broken: int | None = None
        while waiting:
            node, depth = waiting.pop()
            if node.type == "ERROR" or node.is_missing or depth > DEEPEST:
                broken = node.start_point[0] + 1 if broken is None else min(broken, node.start_point[0] + 1)
            if depth > DEEPEST:
                continue
            if node.type in SCOPES:
                self._tree.open(node)
            elif node.type == "wildcard_import":
                star = True
            elif node.type == "identifier" and text_of(node) in self._names:
                self._identifier(node)
            elif node.type == "string":
                strings.append(node)
            waiting += ((child, depth + 1) for child in reversed(node.children))
        for node in strings:
            self._string(node)
        self._found.sort(key=lambda found: (found.line, found.column))
        return Module(tuple(self._lines), tuple(self._tree.scopes), tuple(self._resolved()), star, broken)

    def _identifier(self, node: Node) -> None:
        role, binds, declared = role_of(node)
        within = self._tree.around(node)
        parent = node.parent
        if parent is not None and parent.type == "named_expression" and binds:
            skipped = 0
            while self._tree.scopes[within[skipped]].kind == "comprehension":
                skipped += 1
            within = within[skipped:]
        self._add(
            node, text_of(node), node.start_point[0], self._tree.column(node), role, binds, within, declared
        )

    def _string(self, node: Node) -> None:
        for name, offset, role in quoted_names(node, self._names):
            within = (MODULE,) if role is Role.EXPORTED else self._tree.around(node)
            column = self._tree.column(node) + offset
            self._add(node, name, node.start_point[0], column, role, False, within, None)

    def _add(
        self, node: Node, name: str, line: int, column: int, role: Role, binds: bool, within: tuple[int, ...],
        declared: str | None,
    ) -> None:  # fmt: skip
        self._found.append(_Found(node, name, line, column, role, binds, within, declared))

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
            receiver = receiver_of(found.node) if attribute and found.node.type == "identifier" else None
            own = None
            if receiver is not None:
                own = self._tree.own_class(receiver_of(found.node, alone=True), found.within)
            yield Occurrence(
                found.name, found.line, found.column, found.role, scope, found.binds, found.within,
                own, doubtful, receiver,
                found.binds and is_assigned(found.node),
                self._callee(found.node) if found.role is Role.KEYWORD else None,
                alias_of(found.node),
            )  # fmt: skip

    def _scope_of(
        self, found: _Found, bound: set[int], declared: dict[tuple[str, int], str]
    ) -> tuple[int | None, bool]:
        for number in found.within:
            innermost = number == found.within[0]
            kind = self._tree.scopes[number].kind
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
        return called.start_point[0], self._tree.column(called), text_of(arguments)
