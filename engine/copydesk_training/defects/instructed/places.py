"""Where in a file an edit can be made: statements on lines of their own, bodies that can be moved, conditions that need no
parentheses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import movable, whole_lines

LONGEST_LINE = 100
LONGEST_FUNCTION = 150
Jump = ast.Return | ast.Raise | ast.Continue | ast.Break


def standard(function: FunctionNode) -> bool:
    """Whether a function's body stands on lines of its own, indented by four, and is not too long."""
    step = function.body[0].col_offset - function.col_offset
    short = (function.end_lineno or 0) - function.lineno < LONGEST_FUNCTION
    return step == 4 and function.body[0].lineno > function.lineno and short


def statements(file: ParsedFile, *types: type[ast.AST]) -> Iterator[tuple[FunctionNode, Any]]:
    """Statements of these types that begin and end their lines, each with the function it stands in."""
    for node in file.of(*types):
        function = file.function_of(node)
        if function is not None and standard(function) and file.alone(node) and ends_line(file, node):
            yield function, node


def ends_line(file: ParsedFile, node: Any) -> bool:
    """Whether a line break comes behind the line a node ends on."""
    return bool(node.end_lineno < len(file.starts))


def single(node: Any) -> bool:
    """Whether a node lies on one line."""
    return bool(node.lineno == node.end_lineno)


def headed(file: ParsedFile, node: Any) -> bool:
    """Whether a compound statement's head is one line without a comment, its body on the next, indented by four."""
    line = file.line_text(node.lineno)
    body = node.body[0]
    return (
        line.endswith(":") and body.lineno == node.lineno + 1 and body.col_offset - node.col_offset == 4
        and file.text[: file.start(body)].endswith("    ")
    )  # fmt: skip


def follows(above: Any, below: Any) -> bool:
    """Whether a statement begins on the line behind another."""
    return bool(below.lineno == above.end_lineno + 1) and not getattr(below, "decorator_list", None)


def is_elif(file: ParsedFile, node: ast.If) -> bool:
    """Whether an `if` is spelt `elif`."""
    return file.text.startswith("elif", file.start(node))


def has_comment(file: ParsedFile, first: int, last: int) -> bool:
    """Whether there may be a comment in these lines; a `#` in a string counts as one."""
    return any("#" in file.line_text(k) for k in range(first, last + 1))


def rewritable(file: ParsedFile, first: int, last: int) -> bool:
    """Whether lines may be written anew: no comments, no tabs, no string over several of them."""
    return movable(file, first, last) and not has_comment(file, first, last)


def lines_of(file: ParsedFile, first: int, last: int) -> list[str]:
    """Lines `first..last` without terminators."""
    return [file.line_text(k) for k in range(first, last + 1)]


def replaced(file: ParsedFile, first: int, last: int, new: Sequence[str]) -> Edit:
    """The edit that puts other lines in place of `first..last`."""
    start, end = whole_lines(file, first, last)
    return Edit(start, end, "".join(line + "\n" for line in new))


def fits(*lines: str) -> bool:
    """Whether no line is longer than people leave them."""
    return all(len(line) <= LONGEST_LINE for line in lines)


def names_used(*nodes: ast.AST) -> set[str]:
    """Every name in these nodes, loaded or stored."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def stored(node: ast.AST) -> set[str]:
    """The names a node assigns."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def confined(function: FunctionNode, names: set[str], *nodes: ast.AST) -> bool:
    """Whether names are used nowhere in a function but in these nodes."""
    inside = {id(n) for node in nodes for n in ast.walk(node)}
    for n in ast.walk(function):
        if id(n) not in inside and (
            (isinstance(n, ast.Name) and n.id in names) or (isinstance(n, ast.arg) and n.arg in names)
            or (isinstance(n, ast.Global | ast.Nonlocal) and not names.isdisjoint(n.names))
        ):  # fmt: skip
            return False
    return True


def binds_tightly(node: ast.expr) -> bool:
    """Whether an expression can be an operand of `and` without parentheses, and stand in a comprehension."""
    loose = (ast.Lambda, ast.IfExp, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred)
    if isinstance(node, ast.BoolOp):
        return isinstance(node.op, ast.And)
    return not isinstance(node, loose)


def parenthesised(file: ParsedFile, node: ast.expr) -> bool:
    """Whether a tuple's own text has its parentheses; true for everything else."""
    return not isinstance(node, ast.Tuple) or file.source(node).startswith("(")


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` for names and attributes of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base is not None else None
    return None


def heads(function: ast.AST, wanted: Callable[[Any], bool], but: ast.AST | None = None) -> frozenset[int]:
    """The lines on which nodes of a function begin that answer to `wanted`, `but` not among them."""
    found: list[Any] = [n for n in ast.walk(function) if n is not but and wanted(n)]
    return frozenset(n.lineno for n in found)
