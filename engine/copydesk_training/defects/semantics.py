"""Lint rules about meaning: comparisons to None and True, mutable defaults, bare excepts, missing arguments."""

from __future__ import annotations

import ast
import re
from random import Random

from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile

TRIES = 10
_MUTABLE = ("[]", "[]", "{}", "{}", "set()", "list()", "dict()")
_FRESH = [
    "items", "options", "cache", "extra", "names", "params", "data", "headers", "values", "tags", "opts",
    "kwargs", "results", "seen", "paths", "config", "fields", "columns", "args", "env", "mapping",
    "callbacks", "ignore", "defaults", "flags", "labels",
]  # fmt: skip


def none_comparison(file: ParsedFile, rng: Random) -> Defect | None:
    """`== None` for `is None`."""
    nodes = file.cached("none_comparison", lambda: _none_tests(file))
    if not nodes:
        return None
    node, start, end = rng.choice(nodes)
    good = file.text[start:end]
    bad = "!=" if good == "is not" else "=="
    broken = Broken(file, [Edit(start, end, bad)])
    left, right = file.start(node), file.end(node)
    none = broken.offset(file.start(node.comparators[0]))
    source = broken.text[left : broken.offset(right)]
    fields: dict[str, object] = {"good": good, "bad": bad, "source": source, "fixed": file.text[left:right]}
    return broken.defect(broken.diagnostic(rng, "none-comparison", none, none + 4, fields))


def true_comparison(file: ParsedFile, rng: Random) -> Defect | None:
    """`== True` behind a condition that is true or false by itself."""
    tests = file.cached("true_comparison", lambda: _truths(file))
    if not tests:
        return None
    test = rng.choice(tests)
    start, end = file.start(test), file.end(test)
    inner = test.operand if isinstance(test, ast.UnaryOp) else test
    cond = file.source(inner)
    value = "False" if isinstance(test, ast.UnaryOp) else "True"
    if value == "True" and rng.random() < 0.15:
        shown, tail = "!=", "False"
    else:
        shown, tail = "==", value
    bad = f"{cond} {shown} {tail}"
    broken = Broken(file, [Edit(start, end, bad)])
    fixed = file.text[start:end]
    kind = "equality" if shown == "==" else "inequality"
    checks = "truth" if fixed == cond else "false"
    advice = f"Avoid {kind} comparisons to `{tail}`; use `{fixed}:` for {checks} checks"
    fields: dict[str, object] = {
        "advice": advice,
        "value": tail,
        "cond": fixed,
        "source": bad,
        "source_is": f"{cond} {'is' if shown == '==' else 'is not'} {tail}",
        "fixed": fixed,
        "truth": "truthiness" if fixed == cond else "falsiness",
    }
    return broken.defect(broken.diagnostic(rng, "true-comparison", *broken.span(), fields))


def mutable_default(file: ParsedFile, rng: Random) -> Defect | None:
    """A list or a dict as a parameter's default. The fix is a None and a test at the body's start."""
    functions = file.cached("mutable_default", lambda: _plain_functions(file))
    for _ in range(min(TRIES, len(functions))):
        function = rng.choice(functions)
        found = _mutable(file, rng, function)
        if found is not None:
            return found
    return None


def _mutable(file: ParsedFile, rng: Random, function: FunctionNode) -> Defect | None:
    first = _body_start(file, function)
    if first is None:
        return None
    indent, at = first
    value = rng.choice(_MUTABLE)
    arguments = function.args
    defaults = list(zip(reversed(arguments.args), reversed(arguments.defaults), strict=False))
    guarded = _guarded(file, function)
    if guarded is not None and rng.random() < 0.8:
        # The file has the right form already: take it away.
        name, default, guard, written = guarded
        start, end = file.line_start(file.start(guard)), file.line_end(file.end(guard)) + 1
        edits = [
            Edit(file.start(default), file.end(default), written),
            Edit(start, min(end, len(file.text)), ""),
        ]
        broken, value = Broken(file, edits), written
        after = file.text
    else:
        plain = [
            a for a, d in defaults if isinstance(d, ast.Constant) and d.value is None and a.annotation is None
        ]
        if plain:
            arg = rng.choice(plain)
            name = arg.arg
            default = dict(defaults)[arg]
            if _tests_none(file, function, name):
                return None
            good = Edit(file.start(default), file.end(default), "None")
        else:
            if arguments.vararg or arguments.kwonlyargs or arguments.kwarg or not arguments.args:
                return None
            name = rng.choice(_FRESH)
            if name in file.source(function):
                return None
            last = arguments.args[-1]
            behind = file.end(defaults[0][1]) if defaults else file.end(last.annotation or last)
            good = Edit(behind, behind, f", {name}=None")
        bad = good._replace(new=good.new.replace("None", value))
        broken = Broken(file, [bad])
        guard_text = f"{indent}if {name} is None:\n{indent}    {name} = {value}\n"
        after = Broken(file, [good, Edit(at, at, guard_text)]).text
    start, end = broken.span()
    begin = end - len(value)
    fields: dict[str, object] = {"value": value}
    diagnostic = broken.diagnostic(rng, "mutable-default", max(start, begin), end, fields)
    defect = broken.defect(diagnostic)
    return Defect(defect.before, after, defect.request)


def bare_except(file: ParsedFile, rng: Random) -> Defect | None:
    """`except:` for `except Exception:`; now and then the file's own type was a narrower one."""
    broad = file.cached("bare_except", lambda: _handlers(file, broad=True))
    narrow = file.cached("bare_except_narrow", lambda: _handlers(file, broad=False))
    nodes = broad if broad and rng.random() < 0.8 else narrow
    if not nodes:
        return None
    handler = rng.choice(nodes)
    assert handler.type is not None
    start, end = file.start(handler) + len("except"), file.end(handler.type)
    broken = Broken(file, [Edit(start, end, "")])
    found = broken.defect(broken.diagnostic(rng, "bare-except", start - len("except"), start))
    return Defect(found.before, Broken(file, [Edit(start, end, " Exception")]).text, found.request)


def missing_argument(file: ParsedFile, rng: Random) -> Defect | None:
    """A call without one of its arguments; its name tells the value, or the function above does."""
    places = file.cached("missing_argument", lambda: _given(file))
    if not places:
        return None
    call, edit, name, keyword = rng.choice(places)
    broken = Broken(file, [edit])
    start, end = broken.offset(file.start(call)), broken.offset(file.end(call))
    callee = file.source(call.func).rpartition(".")[2]
    subject = "missing-keyword" if keyword else "missing-argument"
    return broken.defect(broken.diagnostic(rng, subject, start, end, {"name": name, "callee": callee}))


# -- places ------------------------------------------------------------------------------------------------


def _none_tests(file: ParsedFile) -> list[tuple[ast.Compare, int, int]]:
    found: list[tuple[ast.Compare, int, int]] = []
    for node in file.of(ast.Compare):
        right = node.comparators[0]
        if len(node.ops) != 1 or not (isinstance(right, ast.Constant) and right.value is None):
            continue
        start, end = file.end(node.left), file.start(right)
        gap = file.text[start:end]
        if gap in (" is ", " is not ") and not file.in_fstring(node):
            found.append((node, start + 1, end - 1))
    return found


def _truths(file: ParsedFile) -> list[ast.expr]:
    found: list[ast.expr] = []
    for outer in file.of(ast.If, ast.While, ast.IfExp, ast.Assert):
        tests = outer.test.values if isinstance(outer.test, ast.BoolOp) else [outer.test]
        for test in tests:
            inner = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
            if isinstance(inner, ast.Name | ast.Attribute | ast.Call) and not file.in_fstring(test):
                if "\n" not in file.source(test):
                    found.append(test)
    return found


def _plain_functions(file: ParsedFile) -> list[FunctionNode]:
    return [
        f
        for f in file.functions
        if (f.args.args or f.args.defaults) and f.body[0].lineno > f.lineno and not f.args.posonlyargs
    ]


def _body_start(file: ParsedFile, function: FunctionNode) -> tuple[str, int] | None:
    """The body's indentation, and where a first statement goes: behind the docstring."""
    body = function.body
    first = body[0]
    documented = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    if documented and len(body) < 2:
        return None
    if documented and (first.end_lineno or first.lineno) - function.lineno > 14:
        return None
    at = file.line_start(file.start(body[1] if documented else first))
    top = body[1] if documented else first
    if isinstance(top, FunctionNode | ast.ClassDef) and top.decorator_list:
        return None
    if not file.alone(top) and not isinstance(top, ast.If | ast.For | ast.While | ast.With | ast.Try):
        if file.text[at : file.start(top)].strip():
            return None
    return file.indent(first), at


def _guarded(file: ParsedFile, function: FunctionNode) -> tuple[str, ast.expr, ast.If, str] | None:
    """`def f(x=None): if x is None: x = []`, as far as the file has it."""
    arguments = function.args
    defaults = {
        a.arg: d for a, d in zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)
    }
    documented = ast.get_docstring(function, clean=False) is not None
    for statement in function.body[documented : documented + 1]:
        if not (isinstance(statement, ast.If) and not statement.orelse and len(statement.body) == 1):
            continue
        test, only = statement.test, statement.body[0]
        if not (
            isinstance(test, ast.Compare)
            and isinstance(test.left, ast.Name)
            and isinstance(test.ops[0], ast.Is)
        ):
            continue
        name = test.left.id
        default = defaults.get(name)
        if not (isinstance(default, ast.Constant) and default.value is None and isinstance(only, ast.Assign)):
            continue
        written = file.source(only.value)
        target = only.targets[0]
        if written in _MUTABLE and isinstance(target, ast.Name) and target.id == name:
            return name, default, statement, written
    return None


def _tests_none(file: ParsedFile, function: FunctionNode, name: str) -> bool:
    return (
        re.search(rf"\b{re.escape(name)} (is|==|!=|or)\b|not {re.escape(name)}\b", file.source(function))
        is not None
    )


def _handlers(file: ParsedFile, *, broad: bool) -> list[ast.ExceptHandler]:
    """Those of `Exception`, or of one other type; the last of its `try`, as a bare one must be."""
    found: list[ast.ExceptHandler] = []
    for outer in file.of(ast.Try):
        handler = outer.handlers[-1] if outer.handlers else None
        if handler is None or not isinstance(handler.type, ast.Name) or handler.name is not None:
            continue
        head = file.text[file.start(handler) : file.start(handler.type)]
        if (handler.type.id == "Exception") is broad and re.fullmatch(r"except +", head):
            found.append(handler)
    return found


def _given(file: ParsedFile) -> list[tuple[ast.Call, Edit, str, bool]]:
    found: list[tuple[ast.Call, Edit, str, bool]] = []
    signatures = {f.name: f for f in file.functions}
    for call in file.of(ast.Call):
        if file.in_fstring(call):
            continue
        values = [*call.args, *(k.value for k in call.keywords)]
        nodes: list[ast.expr | ast.keyword] = sorted(
            [*call.args, *call.keywords], key=lambda n: (n.lineno, n.col_offset)
        )
        for k, node in enumerate(nodes):
            if isinstance(node, ast.keyword):
                same = isinstance(node.value, ast.Name | ast.Attribute) and _last(node.value) == node.arg
                if node.arg is None or not same:
                    continue
                name, keyword = node.arg, True
            else:
                named = _parameter(signatures, call, node)
                if (
                    named is None
                    or k != len(call.args) - 1
                    or not isinstance(node, ast.Name)
                    or node.id != named
                ):
                    continue
                name, keyword = named, False
            if k:
                edit = Edit(file.end(nodes[k - 1]), file.end(node), "")
            elif len(nodes) > 1:
                edit = Edit(file.start(node), file.start(nodes[1]), "")
            else:
                edit = Edit(file.start(node), file.end(node), "")
            if "#" not in file.text[edit.start : edit.end] and len(values) < 12:
                found.append((call, edit, name, keyword))
    return found


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _parameter(signatures: dict[str, FunctionNode], call: ast.Call, node: ast.expr) -> str | None:
    """The parameter of a function in this file that a positional argument goes to."""
    function = signatures.get(_last(call.func))
    if function is None or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    parameters = [a.arg for a in function.args.args]
    if parameters[:1] in (["self"], ["cls"]):
        parameters = parameters[1:]
    k = call.args.index(node)
    return parameters[k] if k < len(parameters) else None
