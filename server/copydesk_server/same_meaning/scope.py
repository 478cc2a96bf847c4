"""The variables of a function that only itself can see."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
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
_NAMED = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
)
_REFLECTION = frozenset({"dir", "eval", "exec", "locals", "vars"})
"""Called by these names, what sees all variables of the function."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A function's variables: those that are written and never read; those that only the function itself can see, until it
    returns; and those that are strings whenever they have a value.
    """

    unread: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, function: Function, is_text: Callable[[ast.expr], bool]) -> Scope:
        """is_text: whether a value is known to be a string."""
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
        inner = {name for node in _within(function) if isinstance(node, SCOPES) for name in _seen(node)}
        seen_later = any(
            isinstance(node, ast.Try | ast.TryStar) and node.finalbody for node in _within(function)
        )
        own = frozenset() if seen_later else frozenset(written - declared - inner)
        given = Counter[str]()
        for node in _within(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and is_text(node.value):
                given.update(one.id for one in node.targets if isinstance(one, ast.Name))
        stored = Counter(name for node in _within(function) for name in given_names(node))
        texts = {name for name, times in given.items() if stored[name] == times}
        parameters = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        return cls(
            frozenset(written - read - declared), own, frozenset(texts - declared - inner - parameters)
        )


def given_names(node: ast.AST) -> Iterator[str]:
    """The names that a node itself gives a value, or takes it from."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, _NAMED) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _seen(scope: ast.AST) -> set[str]:
    """The names in a function, class or comprehension that may be those of the function around it."""
    names = {name.id for name in ast.walk(scope) if isinstance(name, ast.Name)}
    if isinstance(scope, ast.ClassDef):
        return names
    if isinstance(scope, ast.Lambda):
        return names - {argument.arg for argument in ast.walk(scope.args) if isinstance(argument, ast.arg)}
    if isinstance(scope, Function):
        own = {argument.arg for argument in ast.walk(scope.args) if isinstance(argument, ast.arg)}
        declared = set[str]()
        for node in _within(scope):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                declared.update(node.names)
        return names - (own - declared)
    assert isinstance(scope, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
    targets = [name for one in scope.generators for name in ast.walk(one.target)]
    return names - {name.id for name in targets if isinstance(name, ast.Name)}


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
