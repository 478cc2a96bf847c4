"""Whether two texts of Python are known to mean the same: their syntax trees are alike in a normal form.

Each step to the normal form keeps what the code does; what no step is known to keep stays as it is. So texts that are found to be
the same are so, and many that are the same are not found. Taken for granted is that nobody looks at a function's variables from
outside (`sys._getframe`), but who is named in a string within it may be looked at.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from copydesk.text.document import split_lines

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_BLOCKS = ("body", "orelse", "finalbody")
_REFLECTION = frozenset({"dir", "eval", "exec", "locals", "vars"})
"""Called by these names, what sees all variables of the function."""
_UNREAD = "<unread>"
"""The name of every variable that is never read."""
_EMPTY = {
    "dict": ast.Dict([], []),
    "list": ast.List([], ast.Load()),
    "tuple": ast.Tuple([], ast.Load()),
}
"""What calls of these come to."""


def mean_the_same(before: str, after: str) -> bool:
    """Whether that is known, and `after` has all comments of `before`. Raises: never."""
    try:
        names, ranges = _module(before)
        one, other = _what_differs(split_lines(before), split_lines(after), ranges)
        trees = parsed(one), parsed(other)
        names |= _bound(trees[1])
        forms = [ast.dump(_Normal(names).visit(tree)) for tree in trees]
        return forms[0] == forms[1] and _comments(one) <= _comments(other)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return False


@lru_cache(maxsize=4)  # one text is compared with what each of its fixes makes of it
def _module(text: str) -> tuple[frozenset[str], tuple[tuple[int, int], ...]]:
    """The names that a module binds, and the first and the last line of each of its statements, from 1."""
    tree = parsed(text)
    ranges = []
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        ranges.append((first, node.end_lineno or first))
    return _bound(tree), tuple(ranges)


def _what_differs(
    before: list[str], after: list[str], ranges: tuple[tuple[int, int], ...]
) -> tuple[str, str]:
    """The statements of the module in which two texts differ; all else is the same. ranges: of those of `before`."""
    shorter = min(len(before), len(after))
    start = next((k for k in range(shorter) if before[k] != after[k]), shorter)
    room = shorter - start
    end = next((k for k in range(room) if before[-1 - k] != after[-1 - k]), room)
    stop = len(before) - end
    # What is put behind a statement's last line, or before its first, may become a part of it.
    touched = [(one - 1, other) for one, other in ranges if one - 1 <= stop and other >= start]
    first = min([start, *(one for one, _ in touched)])
    last = max([stop, *(other for _, other in touched)])
    return "".join(before[first:last]), "".join(after[first : last + len(after) - len(before)])


def parsed(text: str) -> ast.Module:
    """Without warnings of what it holds. Raises SyntaxError, ValueError, RecursionError, MemoryError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text.removeprefix("\ufeff"))


def _comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text.removeprefix("\ufeff")).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def _bound(tree: ast.Module) -> frozenset[str]:
    """The names that are bound anywhere, with `*` where a module gives all that it has."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Scope:
    """A function's variables: those that are written and never read, and those that only the function itself can see, until it
    returns.
    """

    unread: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    @classmethod
    def of(cls, function: Function) -> _Scope:
        outside = [function.args, *function.decorator_list, *filter(None, [function.returns])]
        read = {name.id for part in outside for name in ast.walk(part) if isinstance(name, ast.Name)}
        declared, written = set[str](), set[str]()
        for node in _walk_body(function):
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
            if isinstance(node, _SCOPES)
            for name in ast.walk(node)
            if isinstance(name, ast.Name)
        }
        seen_later = any(
            isinstance(node, ast.Try | ast.TryStar) and node.finalbody for node in _within(function)
        )
        own = frozenset() if seen_later else frozenset(written - declared - inner)
        return cls(frozenset(written - read - declared), own)


def _walk_body(function: Function) -> Iterator[ast.AST]:
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
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


class _Normal(ast.NodeTransformer):
    """Makes the normal form of a module. bound: the names that it binds."""

    def __init__(self, bound: frozenset[str]) -> None:
        self._bound = bound
        self._scope = _Scope()

    # -- scopes ----------------------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, Function):
            return self._function(node)
        return self._inside(node, _Scope()) if isinstance(node, _SCOPES) else super().visit(node)

    def _inside(self, node: ast.AST, scope: _Scope) -> ast.AST:
        outer, self._scope = self._scope, scope
        try:
            return self.generic_visit(node)
        finally:
            self._scope = outer

    def _function(self, node: Function) -> ast.AST:
        variables = {name.id for name in _walk_body(node) if isinstance(name, ast.Name) and _binds(name)}
        made = self._inside(node, _Scope.of(node))
        assert isinstance(made, Function)
        _drop_last_return(made.body)
        # What is left may read a name by whatever bound it, which may be gone: then the name would be a global one.
        read = {name.id for name in ast.walk(made) if isinstance(name, ast.Name) and not _binds(name)}
        made.body.append(ast.Global(sorted(read & variables)))
        return made

    # -- statements ------------------------------------------------------------------------------------------------------

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in _BLOCKS:
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, self._block(block))
        return node

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        """Without `pass`; what is returned at once, without the name it was given for that."""
        kept: list[ast.stmt] = []
        for statement in block:
            if isinstance(statement, ast.Pass):
                continue
            if kept and self._returns_last(kept[-1], statement):
                assigned = kept.pop()
                assert isinstance(assigned, ast.Assign)
                statement = ast.Return(assigned.value)
            kept.append(statement)
        return kept

    def _returns_last(self, assigned: ast.stmt, statement: ast.stmt) -> bool:
        return (
            isinstance(statement, ast.Return)
            and isinstance(statement.value, ast.Name)
            and statement.value.id in self._scope.own
            and _only_target(assigned) == statement.value.id
        )

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and node.value.value is None:
            node.value = None
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if (
            len(node.body) == 1
            and not node.orelse
            and isinstance(inner := node.body[0], ast.If)
            and not inner.orelse
        ):
            node.test, node.body = _flat(ast.And(), [node.test, inner.test]), inner.body
        if len(node.body) == len(node.orelse) == 1:
            one, other = node.body[0], node.orelse[0]
            if _only_target(one) is not None and _only_target(one) == _only_target(other):
                assert isinstance(one, ast.Assign)
                assert isinstance(other, ast.Assign)
                return ast.Assign(one.targets, ast.IfExp(node.test, one.value, other.value))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return _flat(node.op, node.values)

    # -- variables that are never read -----------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        name = _only_target(node)
        if name in self._scope.unread and _has_no_effect(node.value):
            return None
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name in self._scope.unread:
            node.name = None
        return self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> ast.AST:
        bound = node.optional_vars
        if isinstance(bound, ast.Name) and bound.id in self._scope.unread:
            node.optional_vars = None
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Store) and node.id in self._scope.unread:
            node.id = _UNREAD
        return node

    # -- expressions -----------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _EMPTY or node.args or {name, "*"} & self._bound:
            return node
        if not node.keywords:
            return _EMPTY[name]
        if name != "dict" or any(keyword.arg is None for keyword in node.keywords):
            return node
        keys: list[ast.expr | None] = [ast.Constant(keyword.arg) for keyword in node.keywords]
        return ast.Dict(keys, [keyword.value for keyword in node.keywords])


def _binds(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _only_target(statement: ast.stmt) -> str | None:
    """The name to which alone a statement assigns."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        (target,) = statement.targets
        return target.id if isinstance(target, ast.Name) else None
    return None


def _flat(op: ast.boolop, operands: Sequence[ast.expr]) -> ast.BoolOp:
    """`a and (b and c)` is `a and b and c`."""
    values: list[ast.expr] = []
    for one in operands:
        values += one.values if isinstance(one, ast.BoolOp) and type(one.op) is type(op) else [one]
    return ast.BoolOp(op, values)


def _has_no_effect(value: ast.expr) -> bool:
    """To compute it does nothing, and never fails."""
    if isinstance(value, ast.Tuple | ast.List):
        return all(map(_has_no_effect, value.elts))
    if isinstance(value, ast.Dict):
        return all(isinstance(key, ast.Constant) for key in value.keys) and all(
            map(_has_no_effect, value.values)
        )
    return isinstance(value, ast.Constant)


def _drop_last_return(body: list[ast.stmt]) -> None:
    """A function returns None at its end without being told to."""
    if not body:
        return
    last = body[-1]
    if isinstance(last, ast.Return) and last.value is None:
        body.pop()
    elif isinstance(last, ast.If):
        _drop_last_return(last.body)
        _drop_last_return(last.orelse)
