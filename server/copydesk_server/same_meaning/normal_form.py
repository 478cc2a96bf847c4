"""The normal form of a syntax tree: what is written in several ways, in one.

Each step keeps what the code does; what no step is known to keep stays as it is. So texts that are found to be the same are so,
and many that are the same are not found. Taken for granted is that nobody looks at a function's variables from outside
(`sys._getframe`), but who is named in a string within it may be looked at; that code that waits for nothing raises no groups of
exceptions; and that importing contextlib does nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from copydesk_server.same_meaning.formatting import formatted
from copydesk_server.same_meaning.scope import SCOPES, Function, Scope, walk_body
from copydesk_server.same_meaning.values import Values

_BLOCKS = ("body", "orelse", "finalbody")
_UNREAD = "<unread>"
"""The name of every variable that is never read."""
_EMPTY = {
    "dict": ast.Dict([], []),
    "list": ast.List([], ast.Load()),
    "tuple": ast.Tuple([], ast.Load()),
}
"""What calls of these come to."""
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
"""Context managers of tests: behind a block that raises nothing the test has failed."""
_WAITING = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Yield, ast.YieldFrom)


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """bound: the names that the module binds anywhere, with `*` where it takes all that another one has. has_contextlib: it has
    the module contextlib by a plain import; then contextlib is among `bound` only if something else has that name too.
    """

    bound: frozenset[str]
    has_contextlib: bool = False


def normal_form(tree: ast.Module, names: ModuleNames) -> ast.Module:
    """The tree is changed. Raises RecursionError."""
    made = _Normal(names).visit(tree)
    assert isinstance(made, ast.Module)
    return made


class _Normal(ast.NodeTransformer):
    def __init__(self, names: ModuleNames) -> None:
        self._names = names
        self._values = Values(names.bound)
        self._scope = Scope()

    # -- scopes ----------------------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, Function):
            return self._function(node)
        return self._inside(node, Scope()) if isinstance(node, SCOPES) else super().visit(node)

    def _inside(self, node: ast.AST, scope: Scope) -> ast.AST:
        outer, self._scope = self._scope, scope
        self._values.texts = scope.texts
        try:
            return self.generic_visit(node)
        finally:
            self._scope = outer
            self._values.texts = outer.texts

    def _function(self, node: Function) -> ast.AST:
        variables = {name.id for name in walk_body(node) if isinstance(name, ast.Name) and _binds(name)}
        outer, self._values.texts = self._values.texts, frozenset()
        scope = Scope.of(node, self._values.is_text)
        self._values.texts = outer
        made = self._inside(node, scope)
        assert isinstance(made, Function)
        _drop_last_return(made.body)
        self._drop_last_name(made.body)
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
        """Without `pass` and what does nothing; what is returned at once, without the name it was given for that, and without the
        `if` that only tells True from False.
        """
        kept: list[ast.stmt] = []
        for statement in block:
            if isinstance(statement, ast.Pass) or self._does_nothing(statement):
                continue
            if kept and self._returns_last(kept[-1], statement):
                assigned = kept.pop()
                assert isinstance(assigned, ast.Assign)
                statement = ast.Return(assigned.value)
            if kept and (test := self._returned_test(kept[-1], [statement])) is not None:
                kept[-1] = ast.Return(test)
                continue
            kept.append(statement)
        return kept

    def _does_nothing(self, statement: ast.stmt) -> bool:
        return (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and self._values.has_no_effect(statement.value)
        )

    def _returns_last(self, assigned: ast.stmt, statement: ast.stmt) -> bool:
        return (
            isinstance(statement, ast.Return)
            and isinstance(statement.value, ast.Name)
            and statement.value.id in self._scope.own
            and _only_target(assigned) == statement.value.id
        )

    def _returned_test(self, statement: ast.stmt, otherwise: Sequence[ast.stmt]) -> ast.expr | None:
        """What `if test: return True` comes to, and `return False` behind it, or the other way round."""
        if (
            not isinstance(statement, ast.If)
            or statement.orelse
            or len(statement.body) != 1
            or len(otherwise) != 1
        ):
            return None
        returned = _returned_bool(statement.body[0]), _returned_bool(otherwise[0])
        if returned == (False, True):
            return ast.UnaryOp(ast.Not(), statement.test)
        made = ast.Call(ast.Name("bool", ast.Load()), [statement.test], [])
        if returned != (True, False) or not self._values.is_builtin(made.func):
            return None
        return statement.test if self._values.is_bool(statement.test) else made

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
        bare = ast.If(node.test, node.body, [])
        if (test := self._returned_test(bare, node.orelse)) is not None:
            return ast.Return(test)
        if len(node.body) == len(node.orelse) == 1:
            one, other = node.body[0], node.orelse[0]
            if _only_target(one) is not None and _only_target(one) == _only_target(other):
                assert isinstance(one, ast.Assign)
                assert isinstance(other, ast.Assign)
                return ast.Assign(one.targets, ast.IfExp(node.test, one.value, other.value))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        flat = _flat(node.op, node.values)
        if isinstance(flat.op, ast.Or):
            self._merge_isinstance(flat.values)
        return flat if len(flat.values) > 1 else flat.values[0]

    def _merge_isinstance(self, values: list[ast.expr]) -> None:
        """`isinstance(a, A) or isinstance(a, B)` is `isinstance(a, (A, B))`."""
        place = 1
        while place < len(values):
            one, other = self._isinstance(values[place - 1]), self._isinstance(values[place])
            if one is None or other is None or one[0] != other[0]:
                place += 1
                continue
            kinds = ast.Tuple([*one[1], *other[1]], ast.Load())
            called, tested = (ast.Name(name, ast.Load()) for name in ("isinstance", one[0]))
            values[place - 1 : place + 1] = [ast.Call(called, [tested, kinds], [])]

    def _isinstance(self, node: ast.expr) -> tuple[str, Sequence[ast.expr]] | None:
        """The variable that is tested, and the names of the classes."""
        if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 2:
            return None
        tested, kinds = node.args
        classes = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
        if not isinstance(tested, ast.Name) or not all(isinstance(kind, ast.Name) for kind in classes):
            return None
        known = isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        return (tested.id, classes) if known and self._values.is_builtin(node.func) else None

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            node.test, node.body, node.orelse = node.test.operand, node.orelse, node.body
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        if _is_raising(node.items[-1].context_expr):
            self._drop_last_name(node.body)
        if len(node.body) == 1 and isinstance(inner := node.body[0], ast.With):
            node.items, node.body = [*node.items, *inner.items], inner.body
        return self._suppressing(node) or node

    def _suppressing(self, node: ast.With) -> ast.Try | None:
        """What `with contextlib.suppress(…)` comes to, as the statement it stands for."""
        if (
            not self._names.has_contextlib
            or "contextlib" in self._names.bound
            or len(node.items) != 1
            or node.items[0].optional_vars is not None
            or not isinstance(call := node.items[0].context_expr, ast.Call)
            or ast.unparse(call.func) != "contextlib.suppress"
            or call.keywords
            or not call.args
            or not all(map(self._values.is_exception, call.args))
            or any(isinstance(one, _WAITING) for one in ast.walk(node))
        ):
            return None
        kind = call.args[0] if len(call.args) == 1 else ast.Tuple(call.args, ast.Load())
        return ast.Try(node.body, [ast.ExceptHandler(kind, None, [])], [], [])

    def visit_Try(self, node: ast.Try) -> ast.AST:
        self.generic_visit(node)
        for handler in node.handlers:
            if handler.type is None and self._values.is_builtin(
                every := ast.Name("BaseException", ast.Load())
            ):
                handler.type = every
        return node

    # -- variables that are never read -----------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        if len(node.targets) > 1:
            read = [target for target in node.targets if not self._is_unread(target)]
            node.targets = read or node.targets[:1]
        if self._is_unread(node.targets[0]) and self._values.has_no_effect(node.value):
            return None
        return self.generic_visit(node)

    def _is_unread(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and target.id in self._scope.unread

    def _drop_last_name(self, body: list[ast.stmt]) -> None:
        """The last thing that a block does needs no name that nobody reads, where nothing comes after it: what has the name goes
        at once in either case.
        """
        if body and _only_target(last := body[-1]) == _UNREAD:
            assert isinstance(last, ast.Assign)
            body[-1] = ast.Expr(last.value)

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

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return formatted(node, self._values) or node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _EMPTY or node.args or not self._values.is_builtin(node.func):
            return formatted(node, self._values) or node
        if not node.keywords:
            return _EMPTY[name]
        if name != "dict" or any(keyword.arg is None for keyword in node.keywords):
            return node
        keys: list[ast.expr | None] = [ast.Constant(keyword.arg) for keyword in node.keywords]
        return ast.Dict(keys, [keyword.value for keyword in node.keywords])


def _returned_bool(statement: ast.stmt) -> bool | None:
    value = statement.value if isinstance(statement, ast.Return) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, bool) else None


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


def _is_raising(context: ast.expr) -> bool:
    called = context.func if isinstance(context, ast.Call) else None
    return (
        isinstance(called, ast.Attribute)
        and called.attr in _RAISES
        and isinstance(called.value, ast.Name)
        and called.value.id in ("pytest", "self")
    )


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
