"""What the instructions share: the scope of a function, conditions turned round, names and lines.

An instruction is asked for in a function, and the scope is that function, or the lines of what it is about.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from copydesk.request import EditRequest, Range
from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile

MOST_LINES = 44
"""A longer function would not fit a page beside anything else."""
_INVERSE = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip


def functions(file: ParsedFile, most: int = MOST_LINES) -> list[FunctionNode]:
    """The functions of at most so many lines, with a body on lines of its own."""
    return file.cached(
        f"functions {most}",
        lambda: [
            f for f in file.functions if (f.end_lineno or 0) - f.lineno < most and f.body[0].lineno > f.lineno
        ],
    )


def reverse(file: ParsedFile, selected: ast.stmt | ast.expr, edits: Sequence[Edit], text: str) -> Defect:
    """Asked, of the lines of `selected`: from the text with `edits` back to the file's own."""
    broken = Broken(file, edits)
    return Defect(broken.text, file.text, _request(broken, selected, text), True)


def forward(file: ParsedFile, selected: ast.stmt | ast.expr, edits: Sequence[Edit], text: str) -> Defect:
    """Asked, of the lines of `selected`: from the file's own text to the one with `edits`."""
    done = Broken(file, edits)
    return Defect(file.text, done.text, _request(Broken(file, ()), selected, text), True)


def _request(broken: Broken, selected: ast.stmt | ast.expr, text: str) -> EditRequest:
    return EditRequest(scope=[scope_of(broken, selected)], instruction=text)


def scope_of(broken: Broken, node: ast.stmt | ast.expr) -> Range:
    """The lines of a function, statement or expression in the broken text, decorators included."""
    file = broken.file
    top = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    start = broken.offset(file.starts[top - 1])
    _, behind = whole_lines(file, node.lineno, node.end_lineno or node.lineno)
    end = broken.offset(behind)
    return broken.line(start), broken.line(end) - broken.text.endswith("\n", 0, end)


def names_in(file: ParsedFile, function: FunctionNode, name: str) -> list[tuple[int, int]] | None:
    """Every place of a local name in a function; None where it also stands elsewhere (strings, keywords, inner
    scopes), so that a rename would not be safe.
    """
    found: list[tuple[int, int]] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == name:
            found.append((file.start(node), file.end(node)))
        elif isinstance(node, ast.arg) and node.arg == name:
            found.append((file.start(node), file.start(node) + len(name)))
        elif isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return None
    top = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    text = file.text[file.starts[top - 1] : file.end(function)]
    words = len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    exact = all(file.text[a:b] == name for a, b in found)
    return sorted(set(found)) if exact and len(set(found)) == words else None


def locals_of(function: FunctionNode) -> list[str]:
    """Names a function assigns, in order of the alphabet; its parameters are not among them."""
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return sorted(names - {"_", "__"})


def parameters_of(function: FunctionNode) -> list[ast.arg]:
    """The plain parameters but for `self` and `cls`."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    return [a for k, a in enumerate(arguments) if not (k == 0 and a.arg in ("self", "cls"))]


def default_of(function: FunctionNode, arg: ast.arg) -> ast.expr | None:
    """The default of a plain parameter."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = dict(zip(reversed([a.arg for a in arguments]), reversed(function.args.defaults), strict=False))
    return defaults.get(arg.arg)


def inverted(file: ParsedFile, test: ast.expr) -> str | None:
    """The opposite of a condition, as one would write it; None where it takes thought."""
    source = file.source(test)
    if "\n" in source:
        return None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = file.source(test.operand)
        plain = isinstance(test.operand, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        return inner if plain and "\n" not in inner else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = file.source(test.left), file.source(test.comparators[0])
        gap = file.text[file.end(test.left) : file.start(test.comparators[0])]
        if gap.strip(" ").isidentifier() or "(" not in gap:
            return f"{left} {_INVERSE[type(test.ops[0])]} {right}"
    if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        return f"not {source}"
    return None


def indented(lines: Sequence[str], by: int) -> list[str]:
    """Lines moved right, or left for a negative number; blank lines stay as they are."""
    if by >= 0:
        return [" " * by + line if line.strip() else line for line in lines]
    return [line[-by:] if line.strip() else line for line in lines]


def movable(file: ParsedFile, first: int, last: int) -> bool:
    """Whether lines may be indented anew: no string goes over several of them, no tabs."""
    lines = [file.line_text(k) for k in range(first, last + 1)]
    return not any("\t" in line or line.endswith("\\") for line in lines) and file.string_lines.isdisjoint(
        range(first, last + 1)
    )


def whole_lines(file: ParsedFile, first: int, last: int) -> tuple[int, int]:
    """The offsets of lines `first..last`, terminators included."""
    start = file.starts[first - 1]
    end = file.starts[last] if last < len(file.starts) else len(file.text)
    return start, end


def documented(function: FunctionNode) -> bool:
    """Whether it opens with a docstring."""
    first = function.body[0]
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def body_start(file: ParsedFile, function: FunctionNode) -> tuple[str, int] | None:
    """The body's indentation and the offset of its first line behind the docstring; None where there is none."""
    body = function.body[1:] if documented(function) else function.body
    if not body or not file.text[: file.start(body[0])].endswith((" ", "\t")):
        return None
    if isinstance(body[0], FunctionNode | ast.ClassDef) and body[0].decorator_list:
        return None
    return file.indent(body[0]), file.line_start(file.start(body[0]))
