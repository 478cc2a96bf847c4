"""The variables of a function that only itself can see."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_REFLECTION = frozenset({"dir", "eval", "exec", "locals", "vars"})
"""Called by these names, what sees all variables of the function."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A function's variables: those that are written and never read, and those that only the function itself can see, until it
    returns.
    """

    unread: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    @classmethod
    def of(cls, function: Function) -> Scope:
        outside = [function.args, *function.decorator_list, *filter(None, [function.returns])]
        read = {name.id for part in outside for name in ast.walk(part) if isinstance(name, ast.Name)}
        declared, written = set[str](), set[str]()
        for node in walk_body(function):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                read.add(node.id)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                declared.update(node.names)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                read.add(node.target.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                read.update(re.findall(r"\w+", node.value))
        for node in _within(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                written.add(node.id)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                written.add(node.name)
        if read & _REFLECTION:
            return cls()
        inner = {
            name.id
            for node in _within(function)
            if isinstance(node, SCOPES)
            for name in ast.walk(node)
            if isinstance(name, ast.Name)
        }
        seen_later = any(
            isinstance(node, ast.Try | ast.TryStar) and node.finalbody for node in _within(function)
        )
        own = frozenset() if seen_later else frozenset(written - declared - inner)
        return cls(frozenset(written - read - declared), own)


def walk_body(function: Function) -> Iterator[ast.AST]:
    """All that is inside a function but its docstring, which says of variables what it likes."""
    documented = ast.get_docstring(function, clean=False) is not None
    for statement in function.body[documented:]:
        yield from ast.walk(statement)


def _within(function: Function) -> Iterator[ast.AST]:
    """What is inside a function, but not what is inside functions, classes and comprehensions there."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
