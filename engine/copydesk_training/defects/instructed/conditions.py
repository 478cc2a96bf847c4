"""Instructions about conditions: nested or joined by `and`, one more operand, chained comparisons, one isinstance for two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import (
    binds_tightly,
    fits,
    headed,
    heads,
    is_elif,
    lines_of,
    replaced,
    single,
    statements,
)
from copydesk_training.defects.instructed.task import Task, either, tasks, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import indented, movable, parameters_of

LONGEST_BODY = 14
Branch = tuple[FunctionNode, ast.If, str, str]
"""The function, the (outer) if, and the two conditions."""


def _plain_if(file: ParsedFile, node: ast.AST) -> bool:
    return isinstance(node, ast.If) and not node.orelse and headed(file, node) and single(node.test)


def _nested(file: ParsedFile) -> Iterator[Branch]:
    """An `if` that holds another one and nothing else."""
    for function, node in statements(file, ast.If):
        inner = node.body[0]
        plain = len(node.body) == 1 and _plain_if(file, node) and _plain_if(file, inner)
        if not plain or not movable(file, node.lineno, node.end_lineno):
            continue
        head = f"{file.line_text(node.lineno)[:-1]} and {file.source(inner.test)}:"
        bare = file.text[file.end(node.test)] == ":" and file.text[file.end(inner.test)] == ":"
        if bare and binds_tightly(node.test) and binds_tightly(inner.test) and fits(head):
            yield function, node, file.source(node.test), file.source(inner.test)


def _joined(file: ParsedFile) -> Iterator[Branch]:
    """An `if` of two conditions that both have to hold."""
    for function, node in statements(file, ast.If):
        test = node.test
        if not _plain_if(file, node) or not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
            continue
        one, *others = test.values
        gap = file.text[file.end(one) : file.start(others[-1])]
        whole = file.start(one) == file.start(test) and file.end(others[-1]) == file.end(test)
        short = node.end_lineno - node.lineno <= LONGEST_BODY and movable(file, node.lineno, node.end_lineno)
        if len(others) == 1 and whole and gap == " and " and short and file.text[file.end(test)] == ":":
            yield function, node, file.source(one), file.source(others[0])


def _merged_lines(file: ParsedFile, branch: Branch) -> list[str]:
    _, node, one, two = branch
    word = "elif" if is_elif(file, node) else "if"
    body = lines_of(file, node.lineno + 2, node.end_lineno or 0)
    return [f"{file.indent(node)}{word} {one} and {two}:", *indented(body, -4)]


def _split_lines(file: ParsedFile, branch: Branch) -> list[str]:
    _, node, one, two = branch
    word = "elif" if is_elif(file, node) else "if"
    indent = file.indent(node)
    body = lines_of(file, node.lineno + 1, node.end_lineno or 0)
    return [f"{indent}{word} {one}:", f"{indent}    if {two}:", *indented(body, 4)]


def _change(file: ParsedFile, subject: str, branch: Branch, nested: bool, back: bool) -> Task:
    function, node, one, two = branch
    lines = node.lineno, node.end_lineno or node.lineno
    edit = replaced(file, *lines, _merged_lines(file, branch) if nested else _split_lines(file, branch))
    others = heads(function, lambda n: isinstance(n, ast.If) and n not in node.body, node)
    return Task(subject, function, lines, [edit], {"first": one, "second": two}, back, others)


def _merging(file: ParsedFile) -> Iterator[Task]:
    for branch in _nested(file):
        yield _change(file, "merge_nested_ifs", branch, True, False)
    for branch in _joined(file):
        yield _change(file, "merge_nested_ifs", branch, False, True)


def _splitting(file: ParsedFile) -> Iterator[Task]:
    for branch in _joined(file):
        yield _change(file, "split_condition", branch, False, False)
    for branch in _nested(file):
        yield _change(file, "split_condition", branch, True, True)


merge_nested_ifs = tasks("merge_nested_ifs", _merging)
split_condition = tasks("split_condition", _splitting)

# -- one more condition ----------------------------------------------------------------------------------------

Tested = tuple[FunctionNode, ast.If | ast.While]


def _tests(file: ParsedFile) -> Iterator[Tested]:
    for function, node in statements(file, ast.If, ast.While):
        bare = single(node.test) and file.text[file.end(node.test)] == ":"
        if bare and file.line_text(node.lineno).endswith(":"):
            yield function, node


def _narrower(file: ParsedFile) -> Iterator[Task]:
    """Conditions whose last operand is the one that was asked for."""
    for function, node in _tests(file):
        if not isinstance(node.test, ast.BoolOp):
            continue
        before, last = node.test.values[-2:]
        gap = file.text[file.end(before) : file.start(last)]
        if gap not in (" and ", " or ") or file.end(last) != file.end(node.test):
            continue
        extra, op = file.source(last), gap.strip()
        what = file.text[file.start(node.test) : file.end(before)]
        if len(extra) < 50:
            edit = Edit(file.end(before), file.end(last), "")
            yield _condition(function, node, edit, {"extra": extra, "op": op, "what": what}, True)


def _condition(
    function: FunctionNode, node: ast.If | ast.While, edit: Edit, fields: dict[str, str], back: bool
) -> Task:
    rivals = heads(function, lambda n: isinstance(n, ast.If | ast.While), node)
    last = node.end_lineno or node.lineno
    if last - node.lineno > 3 or any(node.lineno < k <= last for k in rivals):
        last = node.lineno
    return Task("add_condition", function, (node.lineno, last), [edit], fields, back, rivals)


def _widened(file: ParsedFile, rng: Random, site: Tested) -> Task | None:
    function, node = site
    source = file.source(node.test)
    names = [a.arg for a in parameters_of(function)]
    if not names:
        return None
    name = rng.choice(names)
    if name in {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}:
        return None
    extra = rng.choice(
        ("{0}", "not {0}", "{0} is not None", "{0} is None", "len({0}) > 0", "{0} > 0", "{0} == 0")
    )
    extra = extra.format(name)
    op = rng.choice(("and", "and", "or"))
    if op == "and" and not binds_tightly(node.test):
        return None
    if isinstance(node.test, ast.IfExp | ast.Lambda | ast.NamedExpr) or not fits(
        f"{file.line_text(node.lineno)} {op} {extra}"
    ):
        return None
    at = file.end(node.test)
    return _condition(
        function, node, Edit(at, at, f" {op} {extra}"), {"extra": extra, "op": op, "what": source}, False
    )


add_condition = either(tasks("narrower", _narrower), varied("tests", _tests, _widened))

# -- comparisons -----------------------------------------------------------------------------------------------

_FLIPPED = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _free(file: ParsedFile, node: ast.expr) -> bool:
    """Whether an operand of `and` or `or` can stand in the place of an expression."""
    return isinstance(file.parent(node), ast.If | ast.While | ast.Return | ast.Assign | ast.Assert)


def _chains(file: ParsedFile) -> Iterator[Task]:
    for node in file.of(ast.BoolOp):
        function = file.function_of(node)
        if function is None or not isinstance(node.op, ast.And) or len(node.values) != 2 or not single(node):
            continue
        chain = _chain(file, node.values[0], node.values[1])
        if chain is not None and file.text[file.end(node.values[0]) : file.start(node.values[1])] == " and ":
            new, middle = chain
            edit = Edit(file.start(node), file.end(node), new)
            yield _comparison(function, node, edit, middle, False)
    for compare in file.of(ast.Compare):
        function = file.function_of(compare)
        ordered = len(compare.ops) == 2 and all(type(o) in _SIGNS for o in compare.ops)
        if function is None or not ordered or not single(compare) or not _free(file, compare):
            continue
        middle = file.source(compare.comparators[0])
        low, high = file.source(compare.left), file.source(compare.comparators[1])
        one, two = compare.ops
        tail = f"{middle} {_SIGNS[type(two)]} {high}"
        plain = f"{low} {_SIGNS[type(one)]} {middle} {_SIGNS[type(two)]} {high}" == file.source(compare)
        if plain and isinstance(compare.comparators[0], ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            flipped = f"{middle} {_FLIPPED[type(one)]} {low} and {tail}"
            straight = f"{low} {_SIGNS[type(one)]} {middle} and {tail}"
            for new in (flipped, straight):
                edit = Edit(file.start(compare), file.end(compare), new)
                yield _comparison(function, compare, edit, middle, True)


def _chain(file: ParsedFile, one: ast.expr, two: ast.expr) -> tuple[str, str] | None:
    """`low < x < high` for two comparisons of the same `x`, and `x`."""
    if not (isinstance(one, ast.Compare) and isinstance(two, ast.Compare)):
        return None
    if len(one.ops) != 1 or len(two.ops) != 1 or type(two.ops[0]) not in _SIGNS:
        return None
    middle, low, sign = one.comparators[0], one.left, type(one.ops[0])
    if sign not in _SIGNS:
        return None
    text = _SIGNS[sign]
    if ast.dump(middle) != ast.dump(two.left):
        middle, low, text = one.left, one.comparators[0], _FLIPPED[sign]
    same_way = text[0] == _SIGNS[type(two.ops[0])][0]
    if ast.dump(middle) != ast.dump(two.left) or not same_way or isinstance(middle, ast.Constant):
        return None
    high = file.source(two.comparators[0])
    name = file.source(middle)
    return f"{file.source(low)} {text} {name} {_SIGNS[type(two.ops[0])]} {high}", name


def _comparison(function: FunctionNode, node: ast.expr, edit: Edit, name: str, back: bool) -> Task:
    rivals = heads(function, lambda n: isinstance(n, ast.BoolOp) and n.lineno != node.lineno)
    lines = node.lineno, node.end_lineno or node.lineno
    return Task("chained_comparison", function, lines, [edit], {"name": name}, back, rivals)


chained_comparison = tasks("chained_comparison", _chains)

# -- isinstance ------------------------------------------------------------------------------------------------


def _instances(file: ParsedFile) -> Iterator[Task]:
    for node in file.of(ast.BoolOp):
        function = file.function_of(node)
        if function is None or not isinstance(node.op, ast.Or) or not single(node):
            continue
        calls = [v for v in node.values if _is_isinstance(v)]
        subjects = {ast.dump(c.args[0]) for c in calls if isinstance(c, ast.Call)}
        if len(calls) != len(node.values) or len(subjects) != 1:
            continue
        types = [c.args[1] for c in calls if isinstance(c, ast.Call)]
        if any(isinstance(t, ast.Tuple | ast.BinOp) for t in types):
            continue
        first = calls[0]
        assert isinstance(first, ast.Call)
        subject = file.source(first.args[0])
        new = f"isinstance({subject}, ({', '.join(file.source(t) for t in types)}))"
        yield _check(function, node, Edit(file.start(node), file.end(node), new), subject, False)
    for call in file.of(ast.Call):
        function = file.function_of(call)
        if function is None or not _is_isinstance(call) or not single(call):
            continue
        types_ = call.args[1]
        joined = isinstance(file.parent(call), ast.BoolOp) and not _free(file, call)
        if not isinstance(types_, ast.Tuple) or not 2 <= len(types_.elts) <= 3 or joined:
            continue
        subject = file.source(call.args[0])
        if f"isinstance({subject}, ({', '.join(file.source(t) for t in types_.elts)}))" != file.source(call):
            continue
        new = " or ".join(f"isinstance({subject}, {file.source(t)})" for t in types_.elts)
        if isinstance(file.parent(call), ast.UnaryOp):
            if file.text[file.start(call) - 1] != " ":
                continue
            new = f"({new})"
        elif not _free(file, call):
            continue
        line = file.line_text(call.lineno)
        if fits(line + new[len(file.source(call)) :]) and file.text[file.start(call) - 1] != "(":
            yield _check(function, call, Edit(file.start(call), file.end(call), new), subject, True)


def _is_isinstance(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        and len(node.args) == 2 and not node.keywords
    )  # fmt: skip


def _check(function: FunctionNode, node: ast.expr, edit: Edit, name: str, back: bool) -> Task:
    rivals = heads(function, lambda n: _is_isinstance(n) and n.lineno != node.lineno)
    lines = node.lineno, node.end_lineno or node.lineno
    return Task("isinstance_merge", function, lines, [edit], {"name": name}, back, rivals)


isinstance_merge = tasks("isinstance_merge", _instances)
