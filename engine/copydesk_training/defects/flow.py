"""Instructions about the shape of code: early returns, try blocks, prints, branches."""

from __future__ import annotations

import ast
from random import Random

from copydesk.request import EditRequest
from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import (
    forward,
    functions,
    indented,
    inverted,
    movable,
    reverse,
    whole_lines,
)

TRIES = 8
_ERRORS = (
    "ValueError",
    "KeyError",
    "OSError",
    "Exception",
    "TypeError",
    "AttributeError",
    "IndexError",
    "RuntimeError",
)
_ACTIONS = {
    "pass": ("ignore it", "do nothing", "pass"),
    "return": ("return", "just return"),
    "return None": ("return None",),
    "return False": ("return False",),
    "continue": ("continue", "go on with the next"),
    "raise": ("re-raise", "raise it again"),
}


def early_return(file: ParsedFile, rng: Random) -> Defect | None:
    """A guard that returns early, for a body inside an `if`."""
    found = file.cached("early_return", lambda: _guards(file))
    nested = file.cached("nested", lambda: _nested(file))
    if not found and not nested:
        return None
    if nested and (not found or rng.random() < 0.4):
        function, node = rng.choice(nested)
        first, last = node.body[0].lineno, node.end_lineno or 0
        lines = indented([file.line_text(k) for k in range(first, last + 1)], -4)
        start, end = whole_lines(file, node.lineno, last)
        indent = file.indent(node)
        new = "\n".join([f"{indent}if {inverted(file, node.test)}:", f"{indent}    return", *lines]) + "\n"
        return forward(
            file, function, [Edit(start, end, new)], ask(rng, "early_return", function=function.name)
        )
    function, node = rng.choice(found)
    first, last = (node.end_lineno or 0) + 1, function.end_lineno or 0
    while not file.line_text(first).strip():
        first += 1
    lines = indented([file.line_text(k) for k in range(first, last + 1)], 4)
    start, end = whole_lines(file, node.lineno, last)
    new = "\n".join([f"{file.indent(node)}if {inverted(file, node.test)}:", *lines]) + "\n"
    return reverse(file, function, [Edit(start, end, new)], ask(rng, "early_return", function=function.name))


def _nested(file: ParsedFile) -> list[tuple[FunctionNode, ast.If]]:
    """Functions that end in an `if` of several lines and return nothing."""
    found: list[tuple[FunctionNode, ast.If]] = []
    for function in functions(file):
        node = function.body[-1]
        if not isinstance(node, ast.If) or node.orelse or node.body[0].lineno != node.lineno + 1:
            continue
        last = node.end_lineno or 0
        valued = any(
            isinstance(n, ast.Return | ast.Yield) and n.value is not None for n in ast.walk(function)
        )
        step = node.body[0].col_offset - node.col_offset
        plain = step == 4 and 2 <= last - node.lineno < 20 and movable(file, node.lineno, last)
        if plain and not valued and file.alone(node.body[-1]) and inverted(file, node.test) is not None:
            found.append((function, node))
    return found


def _guards(file: ParsedFile) -> list[tuple[FunctionNode, ast.If]]:
    """`if …: return` with more behind it that returns nothing."""
    found: list[tuple[FunctionNode, ast.If]] = []
    for function in functions(file):
        body = function.body
        returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
        for node in body[:-1]:
            only = (
                node.body[0] if isinstance(node, ast.If) and len(node.body) == 1 and not node.orelse else None
            )
            if not isinstance(only, ast.Return) or only.value is not None or returns:
                continue
            last = function.end_lineno or 0
            clean = file.alone(only) and only.lineno == node.lineno + 1 and file.alone(body[-1])
            assert isinstance(node, ast.If)
            turned = inverted(file, node.test) is not None
            if clean and turned and last - node.lineno < 20 and movable(file, node.lineno, last):
                found.append((function, node))
            break
    return found


def try_block(file: ParsedFile, rng: Random) -> Defect | None:
    """A statement wrapped in try/except."""
    found = file.cached("try_block", lambda: _statements(file))
    for _ in range(min(TRIES, len(found))):
        function, node = rng.choice(found)
        error = rng.choice(_ERRORS)
        looped = any(isinstance(a, ast.For | ast.While) for a in _inside(file, node, function))
        actions = [a for a in _ACTIONS if a != "continue" or looped]
        action = rng.choice(actions)
        first, last = node.lineno, node.end_lineno or node.lineno
        if not movable(file, first, last):
            continue
        indent = file.indent(node)
        lines = [file.line_text(k) for k in range(first, last + 1)]
        new = [f"{indent}try:", *indented(lines, 4), f"{indent}except {error}:", f"{indent}    {action}"]
        start, end = whole_lines(file, first, last)
        edit = Edit(start, end, "\n".join(new) + "\n")
        said = rng.choice(_ACTIONS[action])
        what = file.source(node)
        if "\n" not in what and len(what) < 60 and rng.random() < 0.5:
            text = ask(rng, "try", function=function.name, what=what, error=error, action=said)
            return forward(file, function, [edit], text)
        request = EditRequest(
            scope=[(first, last)],
            instruction=ask(rng, "try_selection", function=function.name, error=error, action=said),
        )
        return Defect(file.text, Broken(file, [edit]).text, request)
    return None


def _inside(file: ParsedFile, node: ast.stmt, function: FunctionNode) -> list[ast.AST]:
    found: list[ast.AST] = []
    for outer in file.ancestors(node):
        if outer is function:
            break
        found.append(outer)
    return found


def _statements(file: ParsedFile) -> list[tuple[FunctionNode, ast.stmt]]:
    found: list[tuple[FunctionNode, ast.stmt]] = []
    for function in functions(file):
        for node in ast.walk(function):
            if isinstance(node, ast.Assign | ast.Expr | ast.AugAssign | ast.Return) and file.alone(node):
                plain = any(isinstance(n, ast.Call | ast.Subscript) for n in ast.walk(node))
                if plain and (node.end_lineno or 0) - node.lineno < 6 and file.function_of(node) is function:
                    found.append((function, node))
    return found


def remove_prints(file: ParsedFile, rng: Random) -> Defect | None:
    """Debugging prints to remove."""
    found = functions(file)
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        if "print(" in file.source(function):
            continue
        places = [
            n
            for n in ast.walk(function)
            if isinstance(n, ast.Assign | ast.AugAssign | ast.Return | ast.Expr | ast.If | ast.For)
            and file.function_of(n) is function
            and not file.text[file.line_start(file.start(n)) : file.start(n)].strip()
            and not file.text.startswith("elif", file.start(n))
            and not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
            and n.lineno not in file.string_lines
        ]
        if not places:
            continue
        chosen = rng.sample(places, min(len(places), rng.choice((1, 1, 2, 2, 3))))
        edits = []
        for node in chosen:
            at = file.line_start(file.start(node))
            edits.append(Edit(at, at, f"{file.indent(node)}{_print(rng, function, node)}\n"))
        if len({e.start for e in edits}) < len(edits):
            continue
        return reverse(file, function, edits, ask(rng, "remove_prints", function=function.name))
    return None


def _print(rng: Random, function: FunctionNode, node: ast.stmt) -> str:
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    name = rng.choice(names or [a.arg for a in function.args.args] or ["0"])
    forms = (
        "print({0})",
        'print("{0}:", {0})',
        'print(f"{{{0}=}}")',
        'print("here")',
        'print("DEBUG", {0})',
        "print()",
    )
    return rng.choice(forms).format(name)


def add_print(file: ParsedFile, rng: Random) -> Defect | None:
    """A print of a variable behind its only assignment."""
    found = file.cached("add_print", lambda: _assignments(file))
    if not found:
        return None
    function, node, name = rng.choice(found)
    _, at = whole_lines(file, node.lineno, node.end_lineno or node.lineno)
    new = f"{file.indent(node)}print({name})\n"
    return forward(
        file, function, [Edit(at, at, new)], ask(rng, "add_print", function=function.name, name=name)
    )


def _assignments(file: ParsedFile) -> list[tuple[FunctionNode, ast.Assign, str]]:
    found: list[tuple[FunctionNode, ast.Assign, str]] = []
    for function in functions(file):
        stores = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and file.alone(node):
                target = node.targets[0]
                if isinstance(target, ast.Name) and sum(s.id == target.id for s in stores) == 1:
                    if file.text[file.line_end(file.end(node)) :].startswith("\n"):
                        found.append((function, node, target.id))
    return found


def invert_if(file: ParsedFile, rng: Random) -> Defect | None:
    """The branches of an if/else, swapped."""
    found = file.cached("invert_if", lambda: _branches(file))
    if not found:
        return None
    function, node = rng.choice(found)
    condition = inverted(file, node.test)
    if condition is None:
        return None
    middle = (node.body[-1].end_lineno or 0) + 1
    last = node.end_lineno or 0
    one = [file.line_text(k) for k in range(node.lineno + 1, middle)]
    two = [file.line_text(k) for k in range(middle + 1, last + 1)]
    indent = file.indent(node)
    new = "\n".join([f"{indent}if {condition}:", *two, f"{indent}else:", *one]) + "\n"
    start, end = whole_lines(file, node.lineno, last)
    return forward(file, function, [Edit(start, end, new)], ask(rng, "invert_if", function=function.name))


def _branches(file: ParsedFile) -> list[tuple[FunctionNode, ast.If]]:
    """`if`/`else` of a few lines, the only one of its function with an else."""
    found: list[tuple[FunctionNode, ast.If]] = []
    for function in functions(file):
        both = [n for n in ast.walk(function) if isinstance(n, ast.If) and n.orelse]
        if len(both) != 1:
            continue
        node = both[0]
        middle = (node.body[-1].end_lineno or 0) + 1
        plain = (
            node.test.end_lineno == node.lineno
            and file.line_text(middle).strip() == "else:"
            and node.body[0].lineno == node.lineno + 1
            and file.text.startswith("if", file.start(node))
            and file.line_text(node.lineno).rstrip().endswith(":")
            and file.alone(node.orelse[-1])
            and (node.end_lineno or 0) < len(file.starts)
        )
        if plain and (node.end_lineno or 0) - node.lineno < 16:
            found.append((function, node))
    return found
