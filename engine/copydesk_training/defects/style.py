"""Lint rules about form: f-strings, unused variables, negated tests, type tests, lambdas."""

from __future__ import annotations

import ast
import re
import tokenize
from random import Random

from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile, Token

TRIES = 10
_UNUSED = [
    "result", "tmp", "value", "count", "n", "data", "size", "idx", "ret", "flag", "name", "key", "old",
    "res", "total", "x", "start", "length", "buf", "err", "response", "output", "temp", "path", "lines",
    "current", "status", "now", "items", "prev", "last", "first", "info", "node", "offset", "width", "mode",
    "text", "config", "ok",
]  # fmt: skip


def unused_variable(file: ParsedFile, rng: Random) -> Defect | None:
    """A local variable that nobody reads: an assignment to remove."""
    places = file.cached("unused_variable", lambda: _body_lines(file))
    for _ in range(min(TRIES, len(places))):
        node, function = rng.choice(places)
        name = rng.choice(_UNUSED)
        if re.search(rf"\b{name}\b", file.source(function)):
            continue
        if rng.random() < 0.12:
            found = _unused_exception(file, rng, function)
            if found is not None:
                return found
        line = f"{name} = {_value(rng, function)}"
        at, indent = file.line_start(file.start(node)), file.indent(node)
        broken = Broken(file, [Edit(at, at, f"{indent}{line}\n")])
        start = at + len(indent)
        fields: dict[str, object] = {"name": name}
        return broken.defect(broken.diagnostic(rng, "unused-variable", start, start + len(name), fields))
    return None


def _value(rng: Random, function: FunctionNode) -> str:
    """A value without side effects: linters keep calls, so mostly none is called."""
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")] or ["None"]
    v = rng.choice(names)
    plain = (
        "None",
        "0",
        "[]",
        "{}",
        "''",
        '""',
        "False",
        "True",
        "1",
        "-1",
        v,
        v,
        f"{v} or None",
        "()",
        "1.0",
    )
    called = (f"len({v})", f"str({v})", f"{v}[0]", f"{v}.copy()", f"list({v})", f"{v} + 1", f"{v} is None")
    return rng.choice(plain if v == "None" or rng.random() < 0.6 else called)


def _unused_exception(file: ParsedFile, rng: Random, function: FunctionNode) -> Defect | None:
    handlers = [
        h
        for h in ast.walk(function)
        if isinstance(h, ast.ExceptHandler) and h.type is not None and h.name is None
    ]
    if not handlers:
        return None
    handler = rng.choice(handlers)
    assert handler.type is not None
    name = rng.choice(("e", "e", "exc", "err", "error", "ex"))
    if re.search(rf"\b{name}\b", file.source(function)):
        return None
    at = file.end(handler.type)
    if file.text[at : at + 1] != ":":
        return None
    broken = Broken(file, [Edit(at, at, f" as {name}")])
    end = broken.span()[1]
    return broken.defect(broken.diagnostic(rng, "unused-variable", end - len(name), end, {"name": name}))


def fstring_placeholder(file: ParsedFile, rng: Random) -> Defect | None:
    """An `f` before a string without placeholders."""
    tokens = file.cached("fstring_placeholder", lambda: _plain_strings(file))
    if not tokens:
        return None
    token = rng.choice(tokens)
    broken = Broken(file, [Edit(token.start, token.start, "f")])
    return broken.defect(broken.diagnostic(rng, "fstring-placeholder", token.start, token.end + 1))


def missing_f_prefix(file: ParsedFile, rng: Random) -> Defect | None:
    """A string with placeholders that has lost its `f`."""
    nodes = file.cached("missing_f_prefix", lambda: _fstrings(file))
    if not nodes:
        return None
    node = rng.choice(nodes)
    start, end = file.start(node), file.end(node)
    broken = Broken(file, [Edit(start, start + 1, "")])
    return broken.defect(broken.diagnostic(rng, "missing-f-prefix", start, end - 1))


def not_in(file: ParsedFile, rng: Random) -> Defect | None:
    """`not x in y` for `x not in y`."""
    return _negated(file, rng, ast.NotIn, "not in", "in", "not-in")


def not_is(file: ParsedFile, rng: Random) -> Defect | None:
    """`not x is y` for `x is not y`."""
    return _negated(file, rng, ast.IsNot, "is not", "is", "not-is")


def _negated(
    file: ParsedFile, rng: Random, operator: type[ast.cmpop], good: str, bad: str, subject: str
) -> Defect | None:
    nodes = file.cached(subject, lambda: _comparisons(file, operator, good))
    if not nodes:
        return None
    node = rng.choice(nodes)
    start, left, right = file.start(node), file.end(node.left), file.start(node.comparators[0])
    broken = Broken(file, [Edit(start, start, "not "), Edit(left, right, f" {bad} ")])
    end = broken.offset(file.end(node))
    fields: dict[str, object] = {"source": broken.text[start:end], "fixed": file.source(node)}
    inner = start + len("not ")
    return broken.defect(broken.diagnostic(rng, subject, inner, end, fields))


def type_comparison(file: ParsedFile, rng: Random) -> Defect | None:
    """`type(x) == T` for `isinstance(x, T)`."""
    calls = file.cached("type_comparison", lambda: _isinstance_calls(file))
    if not calls:
        return None
    call = rng.choice(calls)
    thing, kind = (file.source(a) for a in call.args)
    outer = file.parent(call)
    inverted = isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not) and rng.random() < 0.8
    start, end = (file.start(outer), file.end(outer)) if inverted else (file.start(call), file.end(call))
    broken = Broken(file, [Edit(start, end, f"type({thing}) {'!=' if inverted else '=='} {kind}")])
    return broken.defect(broken.diagnostic(rng, "type-comparison", *broken.span()))


def lambda_assignment(file: ParsedFile, rng: Random) -> Defect | None:
    """`f = lambda x: …` for a function of one line."""
    functions = file.cached("lambda_assignment", lambda: _one_liners(file))
    if not functions:
        return None
    function = rng.choice(functions)
    only = function.body[0]
    assert isinstance(only, ast.Return)
    assert only.value is not None
    head = file.text[file.start(function) : file.start(only)]
    arguments = head[head.index("(") + 1 : head.rindex(")")].strip()
    new = f"{function.name} = lambda{' ' + arguments if arguments else ''}: {file.source(only.value)}"
    broken = Broken(file, [Edit(file.start(function), file.end(function), new)])
    return broken.defect(broken.diagnostic(rng, "lambda-assignment", *broken.span()))


# -- places ------------------------------------------------------------------------------------------------


def _body_lines(file: ParsedFile) -> list[tuple[ast.stmt, FunctionNode]]:
    """Statements of functions that start a line, behind the docstring."""
    found: list[tuple[ast.stmt, FunctionNode]] = []
    stack: list[tuple[ast.AST, FunctionNode | None]] = [(file.tree, None)]
    while stack:
        outer, function = stack.pop()
        inside = outer if isinstance(outer, FunctionNode) else function
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            body = getattr(outer, field, None)
            if not isinstance(body, list):
                continue
            for k, node in enumerate(body):
                stack.append((node, inside if not isinstance(node, ast.ClassDef) else None))
                if (
                    inside is None
                    or not isinstance(node, ast.stmt)
                    or isinstance(node, ast.ClassDef | FunctionNode)
                ):
                    continue
                start = file.start(node)
                documented = k == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                first = not file.text[file.line_start(start) : start].strip()
                if first and not documented and not file.text.startswith("elif", start):
                    found.append((node, inside))
    return found


def _plain_strings(file: ParsedFile) -> list[Token]:
    """Strings that an `f` would not change, alone in their expression."""
    found: list[Token] = []
    tokens = file.tokens
    for k, token in enumerate(tokens):
        if (
            token.type != tokenize.STRING
            or token.string[0] not in "\"'"
            or token.string[:3] in ('"""', "'''")
        ):
            continue
        if "{" in token.string or "}" in token.string or "\\" in token.string or len(token.string) < 5:
            continue
        around = [tokens[j] for j in (k - 1, k + 1) if 0 <= j < len(tokens)]
        if any(t.type == tokenize.STRING or t.string in ("%", ".", "case") for t in around):
            continue
        if not file.text[file.line_start(token.start) : token.start].strip() and len(around) == 2:
            if around[0].string[-1:] not in ("(", "[", "{", ","):
                continue
        found.append(token)
    return found


def _fstrings(file: ParsedFile) -> list[ast.JoinedStr]:
    found: list[ast.JoinedStr] = []
    for node in file.of(ast.JoinedStr):
        source = (
            file.source(node) if not any(isinstance(a, ast.JoinedStr) for a in file.ancestors(node)) else ""
        )
        plain = source[:2] in ("f'", 'f"') and source[1:4] not in ('"""', "'''") and "\n" not in source
        if plain and any(isinstance(v, ast.FormattedValue) for v in node.values):
            body = source[2:-1]
            if source[1] not in body and "{{" not in body and "}}" not in body:
                found.append(node)
    return found


def _comparisons(file: ParsedFile, operator: type[ast.cmpop], spelt: str) -> list[ast.Compare]:
    return [
        n
        for n in file.of(ast.Compare)
        if len(n.ops) == 1
        and isinstance(n.ops[0], operator)
        and file.text[file.end(n.left) : file.start(n.comparators[0])] == f" {spelt} "
        and not file.in_fstring(n)
    ]


def _isinstance_calls(file: ParsedFile) -> list[ast.Call]:
    return [
        n
        for n in file.of(ast.Call)
        if isinstance(n.func, ast.Name)
        and n.func.id == "isinstance"
        and len(n.args) == 2
        and isinstance(n.args[1], ast.Name | ast.Attribute)
        and not file.in_fstring(n)
        and "\n" not in file.source(n)
    ]


def _one_liners(file: ParsedFile) -> list[FunctionNode]:
    found: list[FunctionNode] = []
    for function in file.of(ast.FunctionDef):
        only = function.body[0]
        plain = len(function.body) == 1 and isinstance(only, ast.Return) and only.value is not None
        arguments = function.args
        typed = function.returns or any(a.annotation for a in ast.walk(arguments) if isinstance(a, ast.arg))
        if not plain or typed or function.decorator_list or isinstance(file.parent(function), ast.ClassDef):
            continue
        head = file.text[file.start(function) : file.start(only)]
        if head.count("\n") == 1 and "#" not in head and file.alone(only) and only.lineno == only.end_lineno:
            found.append(function)
    return found
