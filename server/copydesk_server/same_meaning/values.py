"""What is known of an expression's value without running it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable

_TEXT_CALLS = frozenset({"ascii", "bin", "chr", "format", "hex", "input", "oct", "repr", "str"})
_TEXT_METHODS = frozenset({
    "capitalize", "casefold", "center", "expandtabs", "format", "join", "ljust", "lower", "lstrip", "replace", "rjust", "rstrip",
    "strip", "swapcase", "title", "translate", "upper", "zfill",
})  # fmt: skip
_TEXT_ATTRIBUTES = frozenset({"__name__", "__qualname__"})
_CONVERSIONS: dict[str, Callable[..., object]] = {"bool": bool, "float": float, "int": int, "str": str}


class Values:
    """bound: the names that the module binds; the others are Python's own. texts: variables that are strings, of the function
    that is looked at.
    """

    def __init__(self, bound: frozenset[str]) -> None:
        self._bound = bound
        self.texts = frozenset[str]()

    def is_builtin(self, node: ast.expr | None) -> bool:
        """A name that Python has, and that nobody else gives."""
        return isinstance(node, ast.Name) and hasattr(builtins, node.id) and not {node.id, "*"} & self._bound

    def is_exception(self, node: ast.expr | None) -> bool:
        """One of Python's own exceptions by its name, or some."""
        if isinstance(node, ast.Tuple):
            return all(map(self.is_exception, node.elts))
        if not isinstance(node, ast.Name) or not self.is_builtin(node):
            return False
        kind = getattr(builtins, node.id)
        return isinstance(kind, type) and issubclass(kind, BaseException)

    def is_text(self, node: ast.expr) -> bool:
        """A string."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if isinstance(node, ast.IfExp):
            return self.is_text(node.body) and self.is_text(node.orelse)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mod):
                return self.is_text(node.left)
            return isinstance(node.op, ast.Add) and self.is_text(node.left) and self.is_text(node.right)
        if isinstance(node, ast.Name):
            return node.id in self.texts
        if isinstance(node, ast.Attribute):
            return node.attr in _TEXT_ATTRIBUTES
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                return called.attr in _TEXT_METHODS and self.is_text(called.value)
            return isinstance(called, ast.Name) and called.id in _TEXT_CALLS and self.is_builtin(called)
        return isinstance(node, ast.JoinedStr)

    def is_no_tuple(self, node: ast.expr) -> bool:
        """Something else than a tuple."""
        if (
            self.is_text(node)
            or self.is_bool(node)
            or isinstance(node, ast.Constant | ast.List | ast.ListComp)
        ):
            return True
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        is_class = node.func.id == "type" and len(node.args) == 1 and not node.keywords
        return (is_class or node.func.id in ("id", "len", "list", "sorted")) and self.is_builtin(node.func)

    def is_bool(self, node: ast.expr) -> bool:
        """True or False."""
        if isinstance(node, ast.Compare):
            return all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)

    def has_no_effect(self, value: ast.expr) -> bool:
        """To compute it does nothing, and never fails."""
        if isinstance(value, ast.Tuple | ast.List):
            return all(map(self.has_no_effect, value.elts))
        if isinstance(value, ast.Dict):
            return all(isinstance(key, ast.Constant) for key in value.keys) and all(
                map(self.has_no_effect, value.values)
            )
        return isinstance(value, ast.Constant) or self._converts(value)

    def _converts(self, value: ast.expr) -> bool:
        """A constant made another one, as in `float("inf")`."""
        if (
            not isinstance(value, ast.Call)
            or not isinstance(value.func, ast.Name)
            or value.func.id not in _CONVERSIONS
            or not self.is_builtin(value.func)
            or value.keywords
            or len(value.args) > 1
        ):
            return False
        given = [one.value for one in value.args if isinstance(one, ast.Constant)]
        try:
            _CONVERSIONS[value.func.id](*given)
        except (TypeError, ValueError, OverflowError):
            return False
        return len(given) == len(value.args)
