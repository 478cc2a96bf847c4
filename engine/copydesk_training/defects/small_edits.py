"""One small step away from what a function should do: an operand, argument, call or statement less or more, another value,
function, bound or branch.

Each function makes one such edit; what does not parse afterwards, or means the same, is left to the caller to refuse. It knows
Python's syntax; nothing of requests.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import Any

from copydesk_training.defects.broken import Broken, Edit
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.revision import locals_of, parameters_of, whole_lines

_CONFUSED = (
    ("min", "max"), ("any", "all"), ("sum", "len", "max"), ("sorted", "list", "set"), ("int", "round", "float"), ("ord", "chr"),
    ("lower", "upper", "title"), ("islower", "isupper"), ("isdigit", "isalpha", "isalnum"), ("startswith", "endswith"),
    ("lstrip", "rstrip", "strip"), ("append", "extend"), ("keys", "values", "items"), ("find", "rfind", "index", "count"),
    ("split", "splitlines", "rsplit"), ("union", "intersection", "difference"), ("add", "discard"), ("floor", "ceil"),
    ("pop", "popleft"), ("insert", "append"), ("reversed", "sorted"), ("dirname", "basename"), ("first", "last"),
    ("left", "right"), ("start", "end", "stop"), ("encode", "decode"), ("read", "readline"), ("exists", "isfile", "isdir"),
)  # fmt: skip
"""Names of functions, methods and attributes that are taken for each other."""
_WRAPPERS = ("abs", "len", "sorted", "set", "list", "str", "int", "sum", "max", "round")
_UNWRAPPED = frozenset({*_WRAPPERS, "min", "tuple", "float", "bool", "reversed", "dict", "repr"})


def operand_dropped(file: ParsedFile, rng: Random) -> Broken | None:
    """One side of an operator alone, or one of several conditions less."""

    def edits() -> Iterator[Edit]:
        for node in _outside_fstrings(file, ast.BinOp, ast.Compare, ast.BoolOp):
            if isinstance(node, ast.BoolOp):
                for before, after in pairwise(node.values):
                    yield Edit(file.start(before), file.start(after), "")
                    yield Edit(file.end(before), file.end(after), "")
            elif isinstance(node, ast.BinOp):
                yield _replaced(file, node, file.source(node.left))
                yield _replaced(file, node, file.source(node.right))
            elif len(node.comparators) > 1:
                yield Edit(file.end(node.comparators[-2]), file.end(node), "")

    return _one(file, rng, "operand_dropped", edits)


def operand_added(file: ParsedFile, rng: Random) -> Broken | None:
    """`+ 1` or `- 1` too much, or another variable added."""

    def edits() -> Iterator[Edit]:
        for node in _values(file):
            names = _locals(file, node)
            other = rng.choice(names) if names and rng.random() < 0.3 else "1"
            yield Edit(file.end(node), file.end(node), f" {rng.choice('+-')} {other}")

    return _one(file, rng, None, edits)


def argument_dropped(file: ParsedFile, rng: Random) -> Broken | None:
    """A call with an argument less."""

    def edits() -> Iterator[Edit]:
        for call in _outside_fstrings(file, ast.Call):
            given = sorted([*call.args, *call.keywords], key=file.start)
            if len(given) > 1:
                for before, after in pairwise(given):
                    yield Edit(file.end(before), file.end(after), "")
                yield Edit(file.start(given[0]), file.start(given[1]), "")

    return _one(file, rng, "argument_dropped", edits)


def call_dropped(file: ParsedFile, rng: Random) -> Broken | None:
    """What stands in a call alone, or what a method is called on; a slice or an index less."""

    def edits() -> Iterator[Edit]:
        for call in _outside_fstrings(file, ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id in _UNWRAPPED and len(call.args) == 1:
                yield _replaced(file, call, file.source(call.args[0]))
            elif isinstance(call.func, ast.Attribute) and not isinstance(file.parent(call), ast.Expr):
                yield _replaced(file, call, file.source(call.func.value))
        for node in _outside_fstrings(file, ast.Subscript):
            if isinstance(node.ctx, ast.Load):
                yield _replaced(file, node, file.source(node.value))

    return _one(file, rng, "call_dropped", edits)


def call_added(file: ParsedFile, rng: Random) -> Broken | None:
    """A built-in called on what should be taken as it is, or a part of it alone."""

    def edits() -> Iterator[Edit]:
        for node in _values(file):
            source = file.source(node)
            yield _replaced(file, node, f"{rng.choice(_WRAPPERS)}({source})")
            if rng.random() < 0.3:
                yield _replaced(
                    file, node, source + rng.choice(("[1:]", "[:-1]", "[::-1]", "[0]", ".lower()"))
                )

    return _one(file, rng, None, edits)


def value_changed(file: ParsedFile, rng: Random) -> Broken | None:
    """Another number, text or truth value; one of the same function, often."""

    def edits() -> Iterator[Edit]:
        found = [n for n in _outside_fstrings(file, ast.Constant) if file.function_of(n) is not None]
        for node in found:
            others = {file.source(n) for n in found if type(n.value) is type(node.value)}
            if isinstance(node.value, bool):
                others = {str(not node.value)}
            elif isinstance(node.value, int):
                others |= {str(node.value + 1), str(node.value - 1), str(node.value * 2)}
            elif isinstance(node.value, str) and not isinstance(file.parent(node), ast.Expr):
                quote = file.source(node)[-1:]
                others |= {quote * 2, f"{quote} {quote}", file.source(node).swapcase()}
            elif isinstance(node.value, float):
                others |= {str(node.value * 2), str(node.value + 1)}
            others.discard(file.source(node))
            if others and not isinstance(file.parent(node), ast.Expr):
                yield _replaced(file, node, rng.choice(sorted(others)))

    return _one(file, rng, None, edits)


def function_misused(file: ParsedFile, rng: Random) -> Broken | None:
    """Another built-in, method or attribute, such as are taken for each other."""

    def edits() -> Iterator[Edit]:
        for node in _outside_fstrings(file, ast.Name, ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            others = [one for group in _CONFUSED if name in group for one in group if one != name]
            if others:
                end = file.end(node)
                yield Edit(end - len(name), end, rng.choice(others))

    return _one(file, rng, None, edits)


def branches_swapped(file: ParsedFile, rng: Random) -> Broken | None:
    """What is done or taken if something is so, done or taken if it is not."""

    def edits() -> Iterator[tuple[Edit, ...]]:
        for node in _outside_fstrings(file, ast.IfExp):
            yield _swapped(file, node.body, node.orelse)
        for test in file.of(ast.If):
            if len(test.body) == len(test.orelse) == 1 and not isinstance(test.orelse[0], ast.If):
                yield _swapped(file, test.body[0], test.orelse[0])

    return _some(file, rng, list(edits()))


def bound_changed(file: ParsedFile, rng: Random) -> Broken | None:
    """Another bound of a slice or a range, another index."""

    def edits() -> Iterator[Edit]:
        for node in _outside_fstrings(file, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                for bound in (node.slice.lower, node.slice.upper):
                    if bound is not None:
                        yield _replaced(file, bound, "")
                        yield Edit(file.end(bound), file.end(bound), rng.choice((" + 1", " - 1")))
                if node.slice.step is not None:
                    yield _replaced(file, node.slice.step, rng.choice(("", "2", "1")))
            else:
                index = file.source(node.slice)
                yield _replaced(file, node.slice, rng.choice((f"{index} - 1", f"{index} + 1", "0", "-1")))
        for call in _outside_fstrings(file, ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "range" and call.args:
                last = call.args[min(1, len(call.args) - 1)]
                yield Edit(file.end(last), file.end(last), rng.choice((" + 1", " - 1")))
                if len(call.args) == 1:
                    yield Edit(file.start(last), file.start(last), rng.choice(("1, ", "2, ")))
                else:
                    yield Edit(file.start(call.args[0]), file.start(call.args[1]), "")

    return _one(file, rng, None, edits)


def statement_dropped(file: ParsedFile, rng: Random) -> Broken | None:
    """A short statement less, from a body that has others."""

    def edits() -> Iterator[Edit]:
        for node in file.of(ast.AugAssign, ast.Expr, ast.If, ast.Assign, ast.Return, ast.Continue, ast.Break):
            body = file.body_of(node)
            if body is None or len(body) < 2 or not file.alone(node) or file.function_of(node) is None:
                continue
            text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if (
                not text
                and (node.end_lineno or node.lineno) - node.lineno < 4
                and not getattr(node, "orelse", ())
            ):
                yield Edit(*whole_lines(file, node.lineno, node.end_lineno or node.lineno), "")

    return _one(file, rng, "statement_dropped", edits)


def statement_moved(file: ParsedFile, rng: Random) -> Broken | None:
    """A statement of one line inside the block above it, one level too deep, or behind the block whose last it should be."""

    def edits() -> Iterator[Edit]:
        for node in file.of(ast.Return, ast.AugAssign, ast.Expr, ast.Assign):
            body = file.body_of(node)
            if body is None or not file.alone(node) or node.lineno != node.end_lineno:
                continue
            at, outer = body.index(node), file.parent(node)
            start, end = whole_lines(file, node.lineno, node.lineno)
            line = file.text[start:end]
            if at and isinstance(body[at - 1], ast.For | ast.While | ast.If):
                yield Edit(start, end, "    " + line)
            if (
                at == len(body) - 1 > 0
                and isinstance(outer, ast.For | ast.While | ast.If)
                and line.startswith("    ")
            ):
                yield Edit(start, end, line[4:])

    return _one(file, rng, "statement_moved", edits)


def statement_repeated(file: ParsedFile, rng: Random) -> Broken | None:
    """A statement that counts or calls done twice."""

    def edits() -> Iterator[Edit]:
        for node in file.of(ast.AugAssign, ast.Expr):
            call = isinstance(node, ast.AugAssign) or isinstance(node.value, ast.Call)
            if (
                call
                and file.alone(node)
                and node.lineno == node.end_lineno
                and file.function_of(node) is not None
            ):
                start, end = whole_lines(file, node.lineno, node.lineno)
                yield Edit(end, end, file.text[start:end])

    return _one(file, rng, "statement_repeated", edits)


# -- what they share -------------------------------------------------------------------------------------------------------


def _one(
    file: ParsedFile, rng: Random, name: str | None, edits: Callable[[], Iterator[Edit]]
) -> Broken | None:
    """One of the edits; kept under `name` where they do not depend on chance."""
    found = list(edits()) if name is None else file.cached(f"small {name}", edits)
    return Broken(file, [rng.choice(found)]) if found else None


def _some(file: ParsedFile, rng: Random, found: list[tuple[Edit, ...]]) -> Broken | None:
    return Broken(file, rng.choice(found)) if found else None


def _replaced(file: ParsedFile, node: ast.AST, new: str) -> Edit:
    return Edit(file.start(node), file.end(node), new)


def _swapped(file: ParsedFile, one: ast.AST, other: ast.AST) -> tuple[Edit, ...]:
    return _replaced(file, one, file.source(other)), _replaced(file, other, file.source(one))


def _outside_fstrings(file: ParsedFile, *types: type[ast.AST]) -> Iterator[Any]:
    return (node for node in file.of(*types) if not file.in_fstring(node))


def _values(file: ParsedFile) -> list[ast.expr]:
    """Expressions that are returned, assigned, compared, looped over, or arguments of calls."""
    found: list[ast.expr] = []
    for node in file.nodes:
        if isinstance(node, ast.Return | ast.Assign | ast.AugAssign) and node.value is not None:
            found.append(node.value)
        elif isinstance(node, ast.Compare):
            found += [node.left, *node.comparators]
        elif isinstance(node, ast.For):
            found.append(node.iter)
        elif isinstance(node, ast.Call):
            found += node.args
        elif isinstance(node, ast.BinOp):
            found += [node.left, node.right]
    plain = ast.Name | ast.Attribute | ast.Subscript | ast.Call
    return [
        n
        for n in found
        if isinstance(n, plain) and not file.in_fstring(n) and file.function_of(n) is not None
    ]


def _locals(file: ParsedFile, node: ast.AST) -> list[str]:
    """The variables of the function round a node."""
    function = file.function_of(node)
    if function is None:
        return []
    return sorted({*locals_of(function), *(parameter.arg for parameter in parameters_of(function))})
