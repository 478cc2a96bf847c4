"""One form for `"… %s" % x` and `"… {}".format(x)`.

What they show is the same where each takes a value's `repr`, or the value is a string. Of other values `%s` takes `str()` and
`{}` takes `format()`, which is something else for some enumerations; and where one value stands behind `%`, it must not be a
tuple.
"""

from __future__ import annotations

import ast
import re
import string
from typing import TypeAlias

from copydesk_server.same_meaning.values import Values

_SPECIFIER = re.compile(r"%(.?)", re.DOTALL)
_Pieces: TypeAlias = list[tuple[str, str | None]]
"""Text, and how the value behind it is converted: `s`, `r`, `a`, "" by `format()`; None for no value."""


def formatted(node: ast.BinOp | ast.Call, values: Values) -> ast.expr | None:
    """The form, where there is one."""
    if isinstance(node, ast.BinOp):
        pieces, given = _percent(node), _given(node.right, values)
    else:
        pieces, given = _braces(node), _arguments(node)
    if pieces is None or given is None or sum(how is not None for _, how in pieces) != len(given):
        return None
    waiting = iter(given)
    parts: list[ast.expr] = []
    for text, how in pieces:
        if text:
            parts.append(ast.Constant(text))
        if how is not None:
            value = next(waiting)
            converted = "s" if how == "" and values.is_text(value) else how
            parts.append(ast.FormattedValue(value, ord(converted) if converted else -1))
    # A call that nobody can have written: not an f-string, where each value is shown before the next is computed.
    return ast.Call(ast.Name("<formatted>", ast.Load()), parts, [])


def _percent(node: ast.BinOp) -> _Pieces | None:
    if not isinstance(node.op, ast.Mod) or not isinstance(node.left, ast.Constant):
        return None
    text = node.left.value
    if not isinstance(text, str):
        return None
    pieces: _Pieces = []
    shown, start = "", 0
    for found in _SPECIFIER.finditer(text):
        shown += text[start : found.start()]
        start = found.end()
        if found[1] == "%":
            shown += "%"
        elif found[1] in ("s", "r", "a"):
            pieces.append((shown, found[1]))
            shown = ""
        else:
            return None
    return [*pieces, (shown + text[start:], None)]


def _given(right: ast.expr, values: Values) -> list[ast.expr] | None:
    if isinstance(right, ast.Tuple):
        return None if any(isinstance(one, ast.Starred) for one in right.elts) else right.elts
    return [right] if values.is_no_tuple(right) else None


def _braces(node: ast.Call) -> _Pieces | None:
    called = node.func
    if (
        not isinstance(called, ast.Attribute)
        or called.attr != "format"
        or not isinstance(called.value, ast.Constant)
    ):
        return None
    text = called.value.value
    if not isinstance(text, str):
        return None
    pieces: _Pieces = []
    shown = ""
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return None
    for before, field, spec, how in fields:
        shown += before
        if field is None:
            continue
        if field or spec or how not in (None, "s", "r", "a"):
            return None
        pieces.append((shown, how or ""))
        shown = ""
    return [*pieces, (shown, None)]


def _arguments(node: ast.Call) -> list[ast.expr] | None:
    if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
        return None
    return node.args
