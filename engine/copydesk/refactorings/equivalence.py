"""When two edits come to the same: what they leave differs in its form alone."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from textwrap import dedent

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.text.document import split_lines

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_NEGATIVE = (ast.IsNot, ast.NotEq, ast.NotIn)


def meaning(context: RefactoringContext, edits: Edits) -> str:
    """What the selection says after edits, apart from layout, the form of negations and of alternatives, which way round a
    conditional expression is, whether None is returned by name, what the plain message of an exception is, the name a caught
    exception is given, the order of tests that cannot fail and of alternatives, how functions of Python take what they are
    given, and whether a block is left early or the rest is nested: the same of edits between which a person would not choose.
    Its text, where that does not parse alone or nothing else is changed.
    """
    after = _selected(context, edits)
    said = _said(after)
    return after if said is None or said == context.derived(_said_before) else said


def _said_before(context: RefactoringContext) -> str | None:
    return _said(_selected(context, ()))


def _selected(context: RefactoringContext, edits: Edits) -> str:
    """The lines of the scope after edits of these."""
    found: list[str] = []
    for first, last in context.scope:
        at = first
        for edit in (edit for edit in edits if first <= edit.first <= last + 1):
            found += [*context.view(at, edit.first - 1), edit.text]
            at = edit.last + 1
        found += context.view(at, last)
    return "".join(found)


def _said(text: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in somebody's texts
            tree = ast.parse(dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ast.dump(_Plain().visit(tree)) + "\n".join(_comments(split_lines(text)))


def _comments(lines: Sequence[str]) -> Iterator[str]:
    """Each line that may have a comment, with the code below it."""
    code = [line.strip() for line in lines if line.strip()]
    for place, line in enumerate(code):
        if "#" in line:
            yield from code[place : place + 2]


class _Plain(ast.NodeTransformer):
    """Negations as deep as they go, none as the test of a conditional expression; one test of all alternatives; every caught
    exception has the same name, and none raised a message; tests and alternatives in one order; what is behind a way out nested
    in an `if`.
    """

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        node.body = _arranged(node.body)
        match node:
            case ast.If(test, [ast.If(inner, body, [])], []):
                return ast.If(_in_order(ast.And(), [test, inner]), body, [])
        return ast.If(_ordered(node.test), node.body, node.orelse)

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.body = _nested(_arranged(node.body), ast.Continue)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.test, node.body = _ordered(node.test), _nested(_arranged(node.body), ast.Continue)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.body = _nested(_arranged(node.body), ast.Return)
        return node

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        node.body = _arranged(node.body)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _opposite(node.operand) if isinstance(node.op, ast.Not) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Or):
            return node
        tests: list[ast.expr] = []
        for test in map(_with_alternatives, node.values):
            more, known = _alternatives(test), _alternatives(tests[-1]) if tests else None
            if more is not None and known is not None and more[0] == known[0]:
                known[1].extend(more[1])
                known[1].sort(key=ast.dump)
            else:
                tests.append(test)
        return tests[0] if len(tests) == 1 else ast.BoolOp(node.op, tests)

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        return ast.Return(None) if isinstance(node.value, ast.Constant) and node.value.value is None else node

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn() as sign], [ast.Tuple([one])]):
                return ast.Compare(left, [ast.Eq() if isinstance(sign, ast.In) else ast.NotEq()], [one])
            case ast.Compare(ast.Call(ast.Name("type")) as left, [ast.Is() | ast.IsNot() as sign], [kind]):
                return ast.Compare(left, [ast.Eq() if isinstance(sign, ast.Is) else ast.NotEq()], [kind])
            case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Tuple(parts) as others]) if all(
                map(_is_safe, parts)
            ):
                return ast.Compare(left, node.ops, [ast.Tuple(sorted(parts, key=ast.dump), others.ctx)])
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("isinstance" | "issubclass"), [one, ast.Tuple([kind])], []):
                return ast.Call(node.func, [one, kind], [])
            case ast.Call(ast.Name("isinstance" | "issubclass"), [one, ast.Tuple(kinds) as others], []):
                return ast.Call(node.func, [one, ast.Tuple(sorted(kinds, key=ast.dump), others.ctx)], [])
            case ast.Call(ast.Name("max" | "min"), [_, ast.Constant()] | [ast.Constant(), _], []):
                return ast.Call(node.func, sorted(node.args, key=ast.dump), [])
            case ast.Call(ast.Attribute(_, "get"), [key, ast.Constant(None)], []):
                return ast.Call(node.func, [key], [])
            case ast.Call(ast.Attribute(_, "startswith" | "endswith"), [ast.Tuple(texts) as others], []):
                return ast.Call(node.func, [ast.Tuple(sorted(texts, key=ast.dump), others.ctx)], [])
            case ast.Call(ast.Name("enumerate"), [one], [ast.keyword("start", value)]):
                return ast.Call(node.func, [one, value], [])
            case ast.Call(
                ast.Attribute(_, "split" | "rsplit"), [separator], [ast.keyword("maxsplit", value)]
            ):
                return ast.Call(node.func, [separator, value], [])
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        self.generic_visit(node)
        match node.exc:
            case ast.Call(error, [ast.Constant(str())], []):
                return ast.Raise(error, node.cause)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _NEGATIVE):
            return ast.IfExp(_opposite(test), node.orelse, node.body)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return ast.IfExp(test.operand, node.orelse, node.body)
        if isinstance(test, ast.BoolOp) and ast.dump(other := _opposite(test)) < ast.dump(test):
            return ast.IfExp(other, node.orelse, node.body)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        for name in ast.walk(node) if node.name else ():
            if isinstance(name, ast.Name) and name.id == node.name:
                name.id = "caught"
        node.name = node.name and "caught"
        self.generic_visit(node)
        return node


def _arranged(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements in which each way out comes before plain values that it does not read, and joins one before it to the same."""
    made: list[ast.stmt] = []
    for statement in body:
        place = len(made)
        while _is_way_out(statement) and place and _independent(made[place - 1], statement):
            place -= 1
        match made[place - 1] if place else None, statement:
            case ast.If(one, way), ast.If(other) if _same_way_out(made[place - 1], statement):
                made[place - 1] = ast.If(_in_order(ast.Or(), [one, other]), way, [])
            case _:
                made.insert(place, statement)
    return made


def _nested(body: list[ast.stmt], way: type[ast.stmt]) -> list[ast.stmt]:
    """The statements of a whole block, where `way` goes to its end: what follows that is nested."""
    for place, statement in enumerate(body[:-1]):
        match statement:
            case ast.If(test, [ast.Return(None) | ast.Continue() as only], []) if isinstance(only, way):
                rest = _nested(body[place + 1 :], way)
                inner = ast.If(_ordered(_where_not(test)), rest, [])
                match rest:
                    case [ast.If(more, nested, [])]:
                        inner = ast.If(_in_order(ast.And(), [_where_not(test), more]), nested, [])
                return [*body[:place], inner]
    return body


def _where_not(test: ast.expr) -> ast.expr:
    """The condition of what is done where a test does not hold."""
    match test:
        case ast.UnaryOp(ast.Not(), inner):
            return inner
        case ast.BoolOp(op, parts):
            return ast.BoolOp(
                ast.Or() if isinstance(op, ast.And) else ast.And(), [_where_not(part) for part in parts]
            )
    return _opposite(test)


def _is_way_out(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(_, [ast.Return() | ast.Raise() | ast.Continue() | ast.Break()], []):
            return True
    return False


def _same_way_out(one: ast.stmt, other: ast.stmt) -> bool:
    if isinstance(one, ast.If) and isinstance(other, ast.If) and _is_way_out(one) and _is_way_out(other):
        return ast.dump(one.body[0]) == ast.dump(other.body[0])
    return False


def _independent(statement: ast.stmt, way_out: ast.stmt) -> bool:
    """Whether a statement gives a name a plain value, asserts something or is another way out, and it makes no difference which
    one comes first.
    """
    match statement, way_out:
        case ast.Assert(), _:
            return True
        case ast.If(one, _), ast.If(other) if _is_way_out(statement) and not _same_way_out(
            statement, way_out
        ):
            return _is_safe(one) and _is_safe(other) and ast.dump(way_out) < ast.dump(statement)
        case ast.Assign([ast.Name(name)], value), _ if _is_safe(value):
            return all(not isinstance(n, ast.Name) or n.id != name for n in ast.walk(way_out))
    return False


def _ordered(test: ast.expr) -> ast.expr:
    """A condition whose parts are in one order, as far as it makes no difference."""
    return _in_order(test.op, test.values) if isinstance(test, ast.BoolOp) else test


def _in_order(op: ast.boolop, parts: Sequence[ast.expr]) -> ast.BoolOp:
    flat: list[ast.expr] = []
    for part in map(_ordered, parts):
        flat += part.values if isinstance(part, ast.BoolOp) and type(part.op) is type(op) else [part]
    return ast.BoolOp(op, sorted(flat, key=ast.dump) if all(map(_is_safe, flat)) else flat)


def _is_safe(value: ast.expr) -> bool:
    """Whether an expression cannot fail, nor do anything."""
    match value:
        case ast.Name() | ast.Constant() | ast.Attribute(ast.Name("self")):
            return True
        case ast.UnaryOp(ast.Not(), inner):
            return _is_safe(inner)
        case ast.BoolOp(_, parts) | ast.Tuple(parts) | ast.List(parts):
            return all(map(_is_safe, parts))
        case ast.Compare(left, [ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq()], [right]):
            return _is_safe(left) and _is_safe(right)
        case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Tuple() | ast.List() as right]):
            return _is_safe(left) and _is_safe(right)
        case ast.Dict([], []):
            return True
        case ast.Call(ast.Name("isinstance" | "callable"), given, []):
            return all(map(_is_safe, given))
    return False


def _with_alternatives(test: ast.expr) -> ast.expr:
    """`x == 1` as `x in (1,)`, `isinstance(x, str)` as `isinstance(x, (str,))`; other tests as they are."""
    match test:
        case ast.Compare(left, [ast.Eq()], [ast.Constant() as one]):
            return ast.Compare(left, [ast.In()], [ast.Tuple([one], ast.Load())])
        case ast.Call(ast.Name("isinstance"), [subject, ast.Name() | ast.Attribute() as one], []):
            return ast.Call(test.func, [subject, ast.Tuple([one], ast.Load())], [])
    return test


def _alternatives(test: ast.expr) -> tuple[str, list[ast.expr]] | None:
    """What a test compares with alternatives, and how, and these; None for others, and where asking twice is not asking once."""
    match test:
        case ast.Compare(subject, [ast.In()], [ast.Tuple(others)]):
            pass
        case ast.Call(ast.Name("isinstance"), [subject, ast.Tuple(others)], []):
            pass
        case _:
            return None
    calls = any(isinstance(node, ast.Call) for node in ast.walk(subject))
    return None if calls else (type(test).__name__ + ast.dump(subject), others)


def _opposite(test: ast.expr) -> ast.expr:
    """What holds where a test does not."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    if isinstance(test, ast.BoolOp):
        other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        return ast.BoolOp(other, [_opposite(value) for value in test.values])
    return ast.UnaryOp(ast.Not(), test)
