"""Instructions about loops: comprehensions and back, enumerate, any and all, yield from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from random import Random

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import (
    binds_tightly,
    confined,
    ends_line,
    fits,
    follows,
    headed,
    heads,
    names_used,
    parenthesised,
    replaced,
    rewritable,
    single,
    standard,
    statements,
    stored,
)
from copydesk_training.defects.instructed.task import Task, either, tasks, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import inverted

_EMPTY = {ast.ListComp: "[]", ast.SetComp: "set()", ast.DictComp: "{}"}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPAQUE = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, *_COMPREHENSIONS)
Collected = tuple[FunctionNode, ast.stmt, ast.stmt, str, list[str]]
"""The function, the first and the last statement, the name that is collected into, and the other form."""


def _opaque(*nodes: ast.AST) -> bool:
    return any(isinstance(n, _OPAQUE) for node in nodes for n in ast.walk(node))


def _comprehensions(file: ParsedFile) -> Iterator[Collected]:
    """`x = [… for … in …]` with the loop that does the same."""
    for function, node in statements(file, ast.Assign):
        value = node.value
        if not isinstance(value, ast.ListComp | ast.SetComp | ast.DictComp) or len(node.targets) != 1:
            continue
        target, loop = node.targets[0], value.generators[0]
        if (
            not isinstance(target, ast.Name)
            or not single(node)
            or not rewritable(file, node.lineno, node.lineno)
        ):
            continue
        parts = [value.key, value.value] if isinstance(value, ast.DictComp) else [value.elt]
        plain = len(value.generators) == 1 and len(loop.ifs) <= 1 and not loop.is_async
        if not plain or _opaque(*parts, loop.iter, *loop.ifs) or target.id in names_used(value):
            continue
        if not confined(function, stored(loop.target), value) or not all(
            parenthesised(file, p) for p in parts
        ):
            continue
        indent = file.indent(node)
        lines = [f"{indent}{target.id} = {_EMPTY[type(value)]}"]
        lines.append(f"{indent}for {file.source(loop.target)} in {file.source(loop.iter)}:")
        if loop.ifs:
            indent += "    "
            lines.append(f"{indent}if {file.source(loop.ifs[0])}:")
        sources = [file.source(p) for p in parts]
        lines.append(f"{indent}    {_collecting(value, target.id, sources)}")
        yield function, node, node, target.id, lines


def _collecting(value: ast.expr, name: str, parts: list[str]) -> str:
    if isinstance(value, ast.DictComp):
        return f"{name}[{parts[0]}] = {parts[1]}"
    return f"{name}.{'append' if isinstance(value, ast.ListComp) else 'add'}({parts[0]})"


def _collecting_loops(file: ParsedFile) -> Iterator[Collected]:
    """An empty list, set or dict that the next statement fills in a loop, with the comprehension that does the same."""
    for function, loop in statements(file, ast.For):
        siblings = file.body_of(loop) or []
        at = siblings.index(loop) if loop in siblings else 0
        above = siblings[at - 1] if at else None
        if not isinstance(above, ast.Assign) or len(above.targets) != 1 or not follows(above, loop):
            continue
        target, empty = above.targets[0], file.source(above.value)
        if not isinstance(target, ast.Name) or not file.alone(above) or loop.orelse or len(loop.body) != 1:
            continue
        inner: ast.stmt = loop.body[0]
        test: ast.expr | None = None
        if isinstance(inner, ast.If) and not inner.orelse and len(inner.body) == 1:
            test, inner = inner.test, inner.body[0]
        element = _element(file, inner, target.id, empty)
        parts = [loop.iter, *([test] if test is not None else [])]
        if element is None or not rewritable(file, above.lineno, loop.end_lineno) or _opaque(loop):
            continue
        used = names_used(loop.iter, loop.target, *([test] if test is not None else []))
        if target.id in used or not all(binds_tightly(p) or isinstance(p, ast.BoolOp) for p in parts):
            continue
        if not all(single(p) and parenthesised(file, p) for p in parts):
            continue
        if not confined(function, stored(loop.target), loop) or not isinstance(
            loop.target, ast.Name | ast.Tuple
        ):
            continue
        if isinstance(loop.iter, ast.IfExp) or re.search(rf"\b{target.id}\b", element):
            continue
        text = f"{element} for {file.source(loop.target)} in {file.source(loop.iter)}"
        text += f" if {file.source(test)}" if test is not None else ""
        brackets = "[]" if empty in ("[]", "list()") else "{}"
        line = f"{file.indent(above)}{target.id} = {brackets[0]}{text}{brackets[1]}"
        if fits(line):
            yield function, above, loop, target.id, [line]


def _element(file: ParsedFile, node: ast.stmt, name: str, empty: str) -> str | None:
    """What a statement puts into the collection `name`, as a comprehension has it."""
    method = {"[]": "append", "list()": "append", "set()": "add"}.get(empty)
    if not single(node):
        return None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and method is not None:
        call = node.value
        if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
            return None
        return file.source(call.args[0]) if file.source(call.func) == f"{name}.{method}" else None
    if isinstance(node, ast.Assign) and empty in ("{}", "dict()") and len(node.targets) == 1:
        target = node.targets[0]
        tuples = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Tuple | ast.Slice)
        if isinstance(target, ast.Subscript) and file.source(target.value) == name and not tuples:
            if parenthesised(file, node.value):
                return f"{file.source(target.slice)}: {file.source(node.value)}"
    return None


def _collections(file: ParsedFile, subject: str, found: Iterator[Collected], back: bool) -> Iterator[Task]:
    for function, first, last, name, new in found:
        lines = first.lineno, last.end_lineno or last.lineno
        rivals = heads(function, lambda n: isinstance(n, ast.For | _COMPREHENSIONS_TYPE), last)
        rivals = frozenset(k for k in rivals if not lines[0] <= k <= lines[1])
        yield Task(subject, function, lines, [replaced(file, *lines, new)], {"name": name}, back, rivals)


_COMPREHENSIONS_TYPE = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def _to_loop(file: ParsedFile) -> Iterator[Task]:
    yield from _collections(file, "comprehension_to_loop", _comprehensions(file), False)
    yield from _collections(file, "comprehension_to_loop", _collecting_loops(file), True)


def _to_comprehension(file: ParsedFile) -> Iterator[Task]:
    yield from _collections(file, "loop_to_comprehension", _collecting_loops(file), False)
    yield from _collections(file, "loop_to_comprehension", _comprehensions(file), True)


comprehension_to_loop = tasks("comprehension_to_loop", _to_loop)
loop_to_comprehension = tasks("loop_to_comprehension", _to_comprehension)

# -- enumerate -------------------------------------------------------------------------------------------------


def _is_call(node: ast.AST, name: str) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
    )  # fmt: skip


def _counted(file: ParsedFile) -> Iterator[Task]:
    """`for i, x in enumerate(xs)` and its other form: over the indices, with the item taken first thing."""
    for function, loop in statements(file, ast.For):
        if (
            not headed(file, loop)
            or not single(loop.iter)
            or not rewritable(file, loop.lineno, loop.lineno + 1)
        ):
            continue
        indent = file.indent(loop)
        rivals = heads(function, lambda n: isinstance(n, ast.For), loop)
        lines = loop.lineno, loop.end_lineno
        if (
            _is_call(loop.iter, "enumerate")
            and isinstance(loop.target, ast.Tuple)
            and len(loop.target.elts) == 2
        ):
            index, item = loop.target.elts
            values = loop.iter.args[0]
            if not isinstance(index, ast.Name) or not isinstance(item, ast.Name):
                continue
            if not isinstance(values, ast.Name | ast.Attribute):
                continue
            sequence = file.source(values)
            new = [
                f"{indent}for {index.id} in range(len({sequence})):",
                f"{indent}    {item.id} = {sequence}[{index.id}]",
            ]
            edit = replaced(file, loop.lineno, loop.lineno, new)
            fields = {"index": index.id, "item": item.id, "sequence": sequence}
            yield Task("enumerate", function, lines, [edit], fields, True, rivals)
            continue
        over = _range_len(file, loop)
        first = loop.body[0]
        if over is None or len(loop.body) < 2 or not isinstance(first, ast.Assign) or not single(first):
            continue
        index_name, sequence = over
        if file.source(first.value) == f"{sequence}[{index_name}]" and isinstance(first.targets[0], ast.Name):
            item_name = first.targets[0].id
            head = f"{indent}for {index_name}, {item_name} in enumerate({sequence}):"
            edit = replaced(file, loop.lineno, first.lineno, [head])
            fields = {"index": index_name, "item": item_name, "sequence": sequence}
            yield Task("enumerate", function, lines, [edit], fields, False, rivals)


def _range_len(file: ParsedFile, loop: ast.For) -> tuple[str, str] | None:
    """The index and the sequence of `for i in range(len(xs))`."""
    if (
        not _is_call(loop.iter, "range")
        or not isinstance(loop.iter, ast.Call)
        or not _is_call(loop.iter.args[0], "len")
    ):
        return None
    inner = loop.iter.args[0]
    assert isinstance(inner, ast.Call)
    plain = isinstance(loop.target, ast.Name) and isinstance(inner.args[0], ast.Name | ast.Attribute)
    return (file.source(loop.target), file.source(inner.args[0])) if plain else None


def _indexed(file: ParsedFile) -> Iterator[tuple[FunctionNode, ast.For, str, str, list[ast.Subscript]]]:
    """Loops over indices that only read the items, with these reads."""
    for function, loop in statements(file, ast.For):
        over = _range_len(file, loop)
        if over is None or not headed(file, loop):
            continue
        index, sequence = over
        reads = [
            n
            for n in ast.walk(loop)
            if isinstance(n, ast.Subscript) and single(n) and file.source(n) == f"{sequence}[{index}]"
        ]
        base = sequence.partition(".")[0]
        fixed = base not in stored(loop) and index not in {k for s in loop.body for k in stored(s)}
        written = any(
            isinstance(n, ast.Subscript)
            and not isinstance(n.ctx, ast.Load)
            and file.source(n.value) == sequence
            for n in ast.walk(loop)
        )
        if reads and fixed and not written and not any(file.in_fstring(n) for n in reads):
            yield function, loop, index, sequence, reads


def _enumerated(
    file: ParsedFile, rng: Random, site: tuple[FunctionNode, ast.For, str, str, list[ast.Subscript]]
) -> Task | None:
    function, loop, index, sequence, reads = site
    item = rng.choice(("item", "value", "element", "entry", "x", "current"))
    if item in names_used(function):
        return None
    head = Edit(file.start(loop.target), file.end(loop.iter), f"{index}, {item} in enumerate({sequence})")
    edits = [head, *(Edit(file.start(n), file.end(n), item) for n in reads)]
    rivals = heads(function, lambda n: isinstance(n, ast.For), loop)
    fields = {"index": index, "item": item, "sequence": sequence}
    lines = loop.lineno, loop.end_lineno or loop.lineno
    return Task("enumerate_item", function, lines, edits, fields, False, rivals)


enumerate_loop = either(tasks("enumerate", _counted), varied("enumerate_item", _indexed, _enumerated))

# -- any and all -----------------------------------------------------------------------------------------------


def _searches(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.Return):
        call = node.value
        if (
            call is None
            or not single(node)
            or not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Name)
        ):
            continue
        found = call.args[0] if _is_call(call, call.func.id) and call.func.id in ("any", "all") else None
        if not isinstance(found, ast.GeneratorExp) or len(found.generators) != 1:
            continue
        loop, word = found.generators[0], call.func.id
        condition = file.source(found.elt) if word == "any" else inverted(file, found.elt)
        if loop.ifs or loop.is_async or condition is None or _opaque(found.elt, loop.iter):
            continue
        if (word == "all" and isinstance(found.elt, ast.BoolOp)) or not rewritable(
            file, node.lineno, node.lineno
        ):
            continue
        if not confined(function, stored(loop.target), found) or file.end(call) != file.end(node):
            continue
        indent = file.indent(node)
        answers = ("True", "False") if word == "any" else ("False", "True")
        new = [
            f"{indent}for {file.source(loop.target)} in {file.source(loop.iter)}:",
            f"{indent}    if {condition}:",
            f"{indent}        return {answers[0]}",
            f"{indent}return {answers[1]}",
        ]
        if "\n" not in file.source(found.elt):
            yield _search(file, function, (node.lineno, node.lineno), new, word, True)
    for function, loop in statements(file, ast.For):
        task = _search_loop(file, function, loop)
        if task is not None:
            yield task


def _search_loop(file: ParsedFile, function: FunctionNode, loop: ast.For) -> Task | None:
    siblings = file.body_of(loop) or []
    rest = siblings[siblings.index(loop) + 1 :] if loop in siblings else []
    test = loop.body[0]
    if (
        loop.orelse
        or len(loop.body) != 1
        or not isinstance(test, ast.If)
        or test.orelse
        or len(test.body) != 1
    ):
        return None
    last = loop.end_lineno or 0
    if not rest or not follows(loop, rest[0]) or not rewritable(file, loop.lineno, last + 1) or _opaque(loop):
        return None
    answers = file.source(test.body[0]), file.source(rest[0])
    if answers not in (("return True", "return False"), ("return False", "return True")):
        return None
    word = "any" if answers[0] == "return True" else "all"
    condition = file.source(test.test) if word == "any" else inverted(file, test.test)
    plain = (
        single(test.test)
        and single(loop.iter)
        and parenthesised(file, loop.iter)
        and binds_tightly(loop.iter)
    )
    if (
        condition is None
        or not plain
        or not confined(function, stored(loop.target), loop)
        or not ends_line(file, rest[0])
    ):
        return None
    line = f"{file.indent(loop)}return {word}({condition} for {file.source(loop.target)} in {file.source(loop.iter)})"
    return _search(file, function, (loop.lineno, last + 1), [line], word, False) if fits(line) else None


def _search(
    file: ParsedFile, function: FunctionNode, lines: tuple[int, int], new: list[str], word: str, back: bool
) -> Task:
    rivals = heads(function, lambda n: isinstance(n, ast.For))
    rivals = frozenset(k for k in rivals if not lines[0] <= k <= lines[1])
    return Task("any_all", function, lines, [replaced(file, *lines, new)], {"word": word}, back, rivals)


any_all = tasks("any_all", _searches)

# -- yield from ------------------------------------------------------------------------------------------------


def _yields(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.Expr, ast.For):
        if isinstance(function, ast.AsyncFunctionDef) or not standard(function):
            continue
        indent = file.indent(node)
        if isinstance(node, ast.Expr):
            value = node.value
            if (
                not isinstance(value, ast.YieldFrom)
                or not single(node)
                or not parenthesised(file, value.value)
            ):
                continue
            free = [n for n in ("item", "value", "x", "entry") if n not in names_used(function)]
            if not free:
                continue
            new = [f"{indent}for {free[0]} in {file.source(value.value)}:", f"{indent}    yield {free[0]}"]
            back, what = True, file.source(value.value)
        else:
            only = node.body[0]
            if len(node.body) != 1 or node.orelse or not isinstance(node.target, ast.Name):
                continue
            if file.source(only) != f"yield {node.target.id}" or not single(node.iter):
                continue
            if not parenthesised(file, node.iter) or not confined(function, {node.target.id}, node):
                continue
            new = [f"{indent}yield from {file.source(node.iter)}"]
            back, what = False, file.source(node.iter)
        lines = node.lineno, node.end_lineno
        if rewritable(file, *lines):
            rivals = heads(function, lambda n: isinstance(n, ast.For | ast.YieldFrom), node)
            rivals = frozenset(k for k in rivals if not lines[0] <= k <= lines[1])
            edit = replaced(file, *lines, new)
            yield Task("yield_from", function, lines, [edit], {"what": what}, back, rivals)


yield_from = tasks("yield_from", _yields)
