"""Code that runs and does the wrong thing: operators, off by one, negations, arguments, returns.

Each function puts one bug in and tells where; how it is reported is decided by its callers.
"""

from __future__ import annotations

import ast
from random import Random

from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.names import swapped_variable
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.vague import unlocated, vague

TRIES = 10
_SPELT = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or", ast.Add: "+", ast.Sub: "-",
    ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
_INSTEAD = {
    "<": ("<=", ">", ">="), "<=": ("<", ">="), ">": (">=", "<", "<="), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
    "is": ("is not",), "is not": ("is",), "in": ("not in",), "not in": ("in",), "and": ("or",), "or": ("and",),
    "+": ("-",), "-": ("+",), "*": ("/", "+"), "/": ("*", "//"), "//": ("/", "%"), "%": ("//",),
    "+=": ("-=", "="), "-=": ("+=", "="), "*=": ("+=",), "|=": ("&=",), "&=": ("|=",),
}  # fmt: skip


def operator_swapped(file: ParsedFile, rng: Random) -> Broken | None:
    """Another operator."""
    places = file.cached("operators", lambda: _operators(file))
    if not places:
        return None
    start, end = rng.choice(places)
    return Broken(file, [Edit(start, end, rng.choice(_INSTEAD[file.text[start:end]]))])


def off_by_one(file: ParsedFile, rng: Random) -> Broken | None:
    """A small number one too high or too low, or an index or bound with a `+ 1` or `- 1` too much."""
    numbers = file.cached("off_by_one", lambda: _numbers(file))
    if numbers and rng.random() < 0.75:
        node = rng.choice(numbers)
        value = int(node.value)  # type: ignore[arg-type]
        if value == 0:
            new = rng.choice(("1", "1", "-1"))
            if isinstance(file.parent(node), ast.UnaryOp):
                new = "1"
        else:
            new = str(value + rng.choice((1, -1)))
        return Broken(file, [Edit(file.start(node), file.end(node), new)])
    bounds = file.cached("bounds", lambda: _bounds(file))
    if not bounds:
        return None
    kind, node_at, end = rng.choice(bounds)
    if kind == "drop":
        return Broken(file, [Edit(node_at, end, "")])
    return Broken(file, [Edit(end, end, rng.choice((" - 1", " + 1")))])


def negated(file: ParsedFile, rng: Random) -> Broken | None:
    """A condition with a `not` too much or too little, or a truth value turned round."""
    places = file.cached("negated", lambda: _conditions(file))
    if not places:
        return None
    return Broken(file, [rng.choice(places)])


def arguments_swapped(file: ParsedFile, rng: Random) -> Broken | None:
    """Two positional arguments of a call, the one for the other."""
    calls = file.cached("argument_order", lambda: _calls(file))
    for _ in range(min(TRIES, len(calls))):
        call = rng.choice(calls)
        k = rng.randrange(len(call.args) - 1)
        a, b = call.args[k], call.args[k + 1]
        one, two = file.source(a), file.source(b)
        if one != two and len(one) + len(two) < 60:
            return Broken(
                file, [Edit(file.start(a), file.end(a), two), Edit(file.start(b), file.end(b), one)]
            )
    return None


def return_lost(file: ParsedFile, rng: Random) -> Broken | None:
    """A `return` whose value is computed and dropped."""
    nodes = file.cached("missing_return", lambda: _returns(file))
    if not nodes:
        return None
    node = rng.choice(nodes)
    assert node.value is not None
    return Broken(file, [Edit(file.start(node), file.start(node.value), "")])


def returned_early(file: ParsedFile, rng: Random) -> Broken | None:
    """A function's last `return` inside the loop above it, or `break` for `continue`."""
    nodes = file.cached("loop_words", lambda: file.of(ast.Break, ast.Continue))
    if not nodes:
        return None
    node = rng.choice(nodes)
    new = "continue" if isinstance(node, ast.Break) else "break"
    return Broken(file, [Edit(file.start(node), file.end(node), new)])


def misused(file: ParsedFile, rng: Random) -> Broken | None:
    """A wrong variable."""
    found = swapped_variable(file, rng)
    return found[0] if found is not None else None


# -- reported ----------------------------------------------------------------------------------------------


def wrong_operator(file: ParsedFile, rng: Random) -> Defect | None:
    """A wrong operator, with a remark at its line."""
    return _remarked(operator_swapped(file, rng), rng)


def off_by_one_remarked(file: ParsedFile, rng: Random) -> Defect | None:
    """An off-by-one error, with a remark at its line."""
    return _remarked(off_by_one(file, rng), rng)


def condition_negated(file: ParsedFile, rng: Random) -> Defect | None:
    """A negation too much or too little, with a remark at its line."""
    return _remarked(negated(file, rng), rng)


def loop_word(file: ParsedFile, rng: Random) -> Defect | None:
    """`break` and `continue` mixed up, with a remark at its line."""
    return _remarked(returned_early(file, rng), rng)


def argument_order(file: ParsedFile, rng: Random) -> Defect | None:
    """Two arguments swapped, reported at the call."""
    broken = arguments_swapped(file, rng)
    if broken is None:
        return None
    return vague(broken, rng, broken.span(0)[0], broken.span(1)[1], rng.choice(("argument-order", "logic")))


def missing_return(file: ParsedFile, rng: Random) -> Defect | None:
    """A value that is not returned."""
    broken = return_lost(file, rng)
    if broken is None:
        return None
    start = broken.span()[0]
    node = file.cached("return_at", lambda: [{file.start(n): n for n in file.of(ast.Return)}])[0][start]
    assert node.value is not None
    function = file.function_of(node)
    source = file.source(node.value)
    fields: dict[str, object] = {"method": function.name if function else "function", "source": source}
    end = start + len(source)
    effects = any(
        isinstance(n, ast.Call | ast.Subscript | ast.Await | ast.Yield) for n in ast.walk(node.value)
    )
    if isinstance(node.value, ast.Call | ast.Await | ast.Yield):
        subject = "unused-call"
    else:
        subject = "useless-call" if effects and "\n" not in source else "useless-expression"
    return broken.defect(broken.diagnostic(rng, subject, start, end, fields))


_BUGS = (
    (operator_swapped, 3),
    (off_by_one, 2),
    (negated, 2),
    (arguments_swapped, 1.5),
    (return_lost, 1),
    (misused, 3),
    (returned_early, 0.5),
)


def unlocated_bug(file: ParsedFile, rng: Random) -> Defect | None:
    """Any of these bugs in a function of a page at most, and a request that says no line."""
    inject = rng.choices([bug for bug, _ in _BUGS], [weight for _, weight in _BUGS])[0]
    for _ in range(4):
        broken = inject(file, rng)
        if broken is None:
            return None
        scope = enclosing(file, broken)
        if scope is not None:
            return unlocated(broken, rng, scope)
    return None


def enclosing(file: ParsedFile, broken: Broken, most: int = 44) -> tuple[int, int] | None:
    """The lines, in the broken text, of the function round its edits; None without one of at most that many."""
    first, last = broken.edits[0].start, broken.edits[-1].end
    best: FunctionNode | None = None
    for function in file.functions:
        within = file.start(function) <= first and last <= file.end(function)
        if within and (best is None or function.lineno > best.lineno):
            best = function
    if best is None:
        return None
    top = min([best.lineno, *(d.lineno for d in best.decorator_list)])
    lines = broken.line(broken.offset(file.starts[top - 1])), broken.line(broken.offset(file.end(best)))
    return lines if lines[1] - lines[0] < most else None


def _remarked(broken: Broken | None, rng: Random) -> Defect | None:
    if broken is None:
        return None
    start, end = broken.span()
    if start == end:
        end = min(len(broken.text), end + 1)
    return vague(broken, rng, start, end, "logic")


# -- places ------------------------------------------------------------------------------------------------


def _operators(file: ParsedFile) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []

    def between(left: ast.expr, right: ast.expr, operator: str) -> None:
        start, end = file.end(left), file.start(right)
        gap = file.text[start:end]
        if gap.strip() == operator and operator in _INSTEAD:
            at = start + gap.index(operator)
            found.append((at, at + len(operator)))

    for node in file.of(ast.Compare, ast.BoolOp, ast.BinOp):
        if file.in_fstring(node):
            continue
        if isinstance(node, ast.Compare):
            lefts = [node.left, *node.comparators]
            for left, op, right in zip(lefts, node.ops, node.comparators, strict=False):
                between(left, right, _SPELT[type(op)])
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                between(left, right, _SPELT[type(node.op)])
        elif not _text(node.left) and not _text(node.right):
            between(node.left, node.right, _SPELT.get(type(node.op), ""))
    for assign in file.of(ast.AugAssign):
        between(assign.target, assign.value, _SPELT.get(type(assign.op), " ") + "=")
    return found


def _text(node: ast.expr) -> bool:
    """Whether it is plainly a string: `%` formats it."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _numbers(file: ParsedFile) -> list[ast.Constant]:
    return [
        n
        for n in file.of(ast.Constant)
        if type(n.value) is int
        and 0 <= n.value <= 3
        and not file.in_fstring(n)
        and file.source(n) == str(n.value)
        and not isinstance(file.parent(n), ast.Dict)
        and file.function_of(n) is not None
    ]


def _bounds(file: ParsedFile) -> list[tuple[str, int, int]]:
    """`x + 1` and `x - 1` whose tail may be dropped; bounds of `range` and slices that may get one."""
    found: list[tuple[str, int, int]] = []
    for node in file.of(ast.BinOp):
        one = isinstance(node.right, ast.Constant) and node.right.value == 1 and type(node.right.value) is int
        plain = file.text[file.end(node.left) : file.end(node)] in (" + 1", " - 1", "+1", "-1")
        if one and plain and not file.in_fstring(node):
            found.append(("drop", file.end(node.left), file.end(node)))
    for call in file.of(ast.Call):
        ranged = isinstance(call.func, ast.Name) and call.func.id == "range" and len(call.args) <= 2
        if (
            ranged
            and call.args
            and isinstance(call.args[-1], ast.Name | ast.Call)
            and not file.in_fstring(call)
        ):
            found.append(("add", file.start(call.args[-1]), file.end(call.args[-1])))
    return found


def _conditions(file: ParsedFile) -> list[Edit]:
    found: list[Edit] = []
    for node in file.of(ast.UnaryOp):
        if isinstance(node.op, ast.Not) and not file.in_fstring(node):
            start, inner = file.start(node), file.start(node.operand)
            if file.text[start:inner] == "not ":
                found.append(Edit(start, inner, ""))
    for outer in file.of(ast.If, ast.While):
        for test in outer.test.values if isinstance(outer.test, ast.BoolOp) else (outer.test,):
            if isinstance(test, ast.Name | ast.Attribute | ast.Call):
                found.append(Edit(file.start(test), file.start(test), "not "))
    for constant in file.of(ast.Constant):
        if (
            type(constant.value) is bool
            and file.function_of(constant) is not None
            and not file.in_fstring(constant)
        ):
            found.append(Edit(file.start(constant), file.end(constant), str(not constant.value)))
    return found


def _calls(file: ParsedFile) -> list[ast.Call]:
    return [
        n
        for n in file.of(ast.Call)
        if len(n.args) >= 2
        and not any(isinstance(a, ast.Starred | ast.GeneratorExp) for a in n.args)
        and n.lineno == n.end_lineno
        and not file.in_fstring(n)
    ]


def _returns(file: ParsedFile) -> list[ast.Return]:
    return [
        n
        for n in file.of(ast.Return)
        if n.value is not None
        and not isinstance(n.value, ast.Constant)
        and file.text[file.start(n) : file.start(n.value)] == "return "
        and not (isinstance(n.value, ast.Tuple) and file.text[file.start(n.value)] != "(")
    ]
