"""Instructions about branches: no else after a return, continue early, conditional expressions, the walrus."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from copydesk_training.defects.instructed.places import (
    Jump,
    fits,
    follows,
    has_comment,
    headed,
    heads,
    is_elif,
    lines_of,
    replaced,
    single,
    statements,
)
from copydesk_training.defects.instructed.task import Task, tasks
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import indented, inverted, movable

LONGEST_REST = 16


def _else_line(file: ParsedFile, node: ast.If) -> int | None:
    """The line of a plain `else:` that follows the body at once; None for an elif or comments between."""
    line = (node.body[-1].end_lineno or 0) + 1
    plain = file.line_text(line) == f"{file.indent(node)}else:" and node.orelse[0].lineno > line
    return line if plain else None


# -- else after return -----------------------------------------------------------------------------------------


def _needless_elses(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.If):
        if is_elif(file, node) or not headed(file, node) or not isinstance(node.body[-1], Jump):
            continue
        if not file.alone(node.body[-1]):
            continue
        word = type(node.body[-1]).__name__.lower()
        if node.orelse:
            line = _else_line(file, node)
            if line is None or not movable(file, line, node.end_lineno):
                continue
            new = indented(lines_of(file, line + 1, node.end_lineno), -4)
            edit, last, back = replaced(file, line, node.end_lineno, new), node.end_lineno, False
            if node.orelse[0].col_offset - node.col_offset != 4:
                continue
        else:
            siblings = file.body_of(node) or []
            rest = siblings[siblings.index(node) + 1 :]
            if not rest or not follows(node, rest[0]) or not file.alone(rest[-1]):
                continue
            first, last = rest[0].lineno, rest[-1].end_lineno or 0
            if last - first > LONGEST_REST or not movable(file, first, last) or last >= len(file.starts):
                continue
            new = [f"{file.indent(node)}else:", *indented(lines_of(file, first, last), 4)]
            edit, back = replaced(file, first, last, new), True
        # The `else` of another `if` may be in sight where its head is not.
        others = [n for n in ast.walk(function) if isinstance(n, ast.If) and n.orelse and n is not node]
        rivals = frozenset(k for n in others for k in (n.lineno, n.orelse[0].lineno - 1, n.orelse[0].lineno))
        yield Task("else_after_return", function, (node.lineno, last), [edit], {"jump": word}, back, rivals)


else_after_return = tasks("else_after_return", _needless_elses)

# -- continue --------------------------------------------------------------------------------------------------


def _continues(file: ParsedFile) -> Iterator[Task]:
    for function, loop in statements(file, ast.For, ast.While, ast.AsyncFor):
        if loop.orelse or not headed(file, loop):
            continue
        node = loop.body[0]
        if not isinstance(node, ast.If) or node.orelse or not headed(file, node) or not single(node.test):
            continue
        opposite = inverted(file, node.test)
        first, last = node.lineno, loop.end_lineno
        if opposite is None or not movable(file, first, last) or last - first > LONGEST_REST:
            continue
        indent = file.indent(node)
        if len(loop.body) == 1 and last - first >= 2:
            body = indented(lines_of(file, first + 1, last), -4)
            new, back = [f"{indent}if {opposite}:", f"{indent}    continue", *body], False
        elif len(node.body) == 1 and isinstance(node.body[0], ast.Continue) and len(loop.body) > 1:
            rest = loop.body[1]
            if not follows(node, rest) or has_comment(file, first, first + 1):
                continue
            new, back = [f"{indent}if {opposite}:", *indented(lines_of(file, rest.lineno, last), 4)], True
        else:
            continue
        edit = replaced(file, first, last, new)
        rivals = heads(function, lambda n: isinstance(n, ast.For | ast.While | ast.AsyncFor), loop)
        fields = {"condition": opposite if not back else file.source(node.test)}
        yield Task("early_continue", function, (loop.lineno, last), [edit], fields, back, rivals)


early_continue = tasks("early_continue", _continues)

# -- conditional expressions -----------------------------------------------------------------------------------

_LOOSE = (ast.IfExp, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred)


def _short(file: ParsedFile) -> Iterator[tuple[FunctionNode, ast.stmt, ast.IfExp, str]]:
    """`x = a if c else b` and `return a if c else b`: the function, the statement, and what stands before the value."""
    for function, node in statements(file, ast.Assign, ast.Return):
        value = node.value
        plain = (
            isinstance(value, ast.IfExp) and single(node) and not has_comment(file, node.lineno, node.lineno)
        )
        if plain and file.end(value) == file.end(node) and not isinstance(value.orelse, ast.IfExp):
            lead = file.text[file.start(node) : file.start(value)]
            text = f"{file.source(value.body)} if {file.source(value.test)} else {file.source(value.orelse)}"
            if (
                file.source(value) == text
                and lead.endswith(("= ", "return "))
                and len(getattr(node, "targets", "1")) == 1
            ):
                yield function, node, value, lead


def _long(file: ParsedFile) -> Iterator[tuple[FunctionNode, ast.If, str, str, str]]:
    """An if/else of four lines that assigns one target, or returns: what stands before the values, and both."""
    for function, node in statements(file, ast.If):
        if is_elif(file, node) or not headed(file, node) or not single(node.test) or len(node.orelse) != 1:
            continue
        if node.end_lineno - node.lineno != 3 or _else_line(file, node) != node.lineno + 2:
            continue
        one, two = node.body[0], node.orelse[0]
        if has_comment(file, node.lineno, node.end_lineno) or type(one) is not type(two):
            continue
        if not isinstance(one, ast.Assign | ast.Return) or not isinstance(two, ast.Assign | ast.Return):
            continue
        if any(v is None or isinstance(v, (*_LOOSE, ast.Tuple)) for v in (one.value, two.value)):
            continue
        assert one.value is not None
        assert two.value is not None
        leads = [file.text[file.start(s) : file.start(s.value)] for s in (one, two)]
        simple = isinstance(one, ast.Return) or len(one.targets) == 1
        whole = all(file.end(s.value) == file.end(s) and file.alone(s) for s in (one, two))
        bare = file.text[file.end(node.test)] == ":" and not isinstance(node.test, _LOOSE)
        if leads[0] == leads[1] and leads[0].endswith(("= ", "return ")) and simple and whole and bare:
            yield function, node, leads[0], file.source(one.value), file.source(two.value)


def _expanded(file: ParsedFile, back: bool, subject: str) -> Iterator[Task]:
    for function, node, value, lead in _short(file):
        indent = file.indent(node)
        new = [
            f"{indent}if {file.source(value.test)}:",
            f"{indent}    {lead}{file.source(value.body)}",
            f"{indent}else:",
            f"{indent}    {lead}{file.source(value.orelse)}",
        ]
        edit = replaced(file, node.lineno, node.lineno, new)
        rivals = heads(function, lambda n: isinstance(n, ast.IfExp | ast.If), value)
        lines = (node.lineno, node.lineno)
        yield Task(subject, function, lines, [edit], _named(lead), back, rivals - {node.lineno})


def _contracted(file: ParsedFile, back: bool, subject: str) -> Iterator[Task]:
    for function, node, lead, one, two in _long(file):
        line = f"{file.indent(node)}{lead}{one} if {file.source(node.test)} else {two}"
        if fits(line):
            edit = replaced(file, node.lineno, node.end_lineno or 0, [line])
            rivals = heads(function, lambda n: isinstance(n, ast.IfExp | ast.If), node)
            lines = node.lineno, node.end_lineno or 0
            yield Task(subject, function, lines, [edit], _named(lead), back, rivals)


def _named(lead: str) -> dict[str, str]:
    return {"name": lead[:-3]} if lead.endswith(" = ") else {}


def _to_if(file: ParsedFile) -> Iterator[Task]:
    yield from _expanded(file, False, "ternary_to_if")
    yield from _contracted(file, True, "ternary_to_if")


def _to_ternary(file: ParsedFile) -> Iterator[Task]:
    yield from _contracted(file, False, "if_to_ternary")
    yield from _expanded(file, True, "if_to_ternary")


ternary_to_if = tasks("ternary_to_if", _to_if)
if_to_ternary = tasks("if_to_ternary", _to_ternary)

# -- walrus ----------------------------------------------------------------------------------------------------


def _assigned_and_tested(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.If):
        siblings = file.body_of(node) or []
        at = siblings.index(node) if node in siblings else 0
        above = siblings[at - 1] if at else None
        if not isinstance(above, ast.Assign) or len(above.targets) != 1 or is_elif(file, node):
            continue
        target, value, test = above.targets[0], above.value, node.test
        tight = not isinstance(value, (*_LOOSE, ast.Tuple))
        plain = isinstance(target, ast.Name) and tight and single(above) and file.alone(above)
        if (
            not plain
            or not follows(above, node)
            or not single(test)
            or has_comment(file, above.lineno, node.lineno)
        ):
            continue
        assert isinstance(target, ast.Name)
        new = _walrus(file, target.id, file.source(value), test)
        if (
            new is None
            or file.text[file.end(test)] != ":"
            or file.text[file.start(value) - 3 : file.start(value)] != " = "
        ):
            continue
        line = f"{file.indent(node)}if {new}{file.text[file.end(test) : file.line_end(file.end(test))]}"
        if fits(line) and file.end(value) == file.end(above):
            edit = replaced(file, above.lineno, node.lineno, [line])
            rivals = heads(function, lambda n: isinstance(n, ast.If), node)
            lines = (above.lineno, node.lineno)
            yield Task("walrus", function, lines, [edit], {"name": target.id}, False, rivals)


def _walrus(file: ParsedFile, name: str, value: str, test: ast.expr) -> str | None:
    """The condition with the assignment in it, where the name is the first thing it looks at and only looked at once."""
    if sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(test)) != 1:
        return None
    if isinstance(test, ast.Name):
        return f"{name} := {value}"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Name):
        return f"not ({name} := {value})"
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == name:
        return f"({name} := {value}){file.text[file.end(test.left) : file.end(test)]}"
    return None


walrus = tasks("walrus", _assigned_and_tested)
