"""Instructions about names and values: rename, use a constant, extract, inline."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from random import Random

from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import (
    forward,
    functions,
    locals_of,
    names_in,
    parameters_of,
    reverse,
    whole_lines,
)
from copydesk_training.defects.typos import BUILTINS

TRIES = 8
_NAMES = [
    "result", "value", "item", "entry", "total", "current", "node", "index", "name", "path", "data", "obj",
    "count", "text", "key", "target", "response", "element", "info", "content", "config", "options",
    "buffer", "lines", "output", "matches", "pairs", "rows", "columns", "found", "parts", "chunk", "token",
    "message", "user", "status", "code", "size", "length", "offset", "start", "end", "left", "right",
    "parent", "child", "children", "root", "source", "dest", "first", "last", "best",
]  # fmt: skip


def rename(file: ParsedFile, rng: Random) -> Defect | None:
    """One local variable or parameter under another name, throughout a function."""
    found = functions(file)
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        names = locals_of(function)
        if rng.random() < 0.4:
            names = [a.arg for a in parameters_of(function)] or names
        if not names:
            continue
        name, other = rng.choice(names), _fresh(rng)
        source = file.source(function)
        if re.search(rf"(?<!\w){other}(?!\w)", source) or other in BUILTINS or len(name) < 2:
            continue
        places = names_in(file, function, name)
        if not places or len(places) > 14:
            continue
        edits = [Edit(a, b, other) for a, b in places]
        if rng.random() < 0.5:
            return forward(
                file, function, edits, ask(rng, "rename", function=function.name, old=name, new=other)
            )
        return reverse(file, function, edits, ask(rng, "rename", function=function.name, old=other, new=name))
    return None


def _fresh(rng: Random) -> str:
    name = rng.choice(_NAMES)
    return f"{rng.choice(_NAMES)}_{name}" if rng.random() < 0.3 else name


def constant(file: ParsedFile, rng: Random) -> Defect | None:
    """A value spelt out where the file has a constant for it."""
    places = file.cached("constant", lambda: _constants(file))
    for _ in range(min(TRIES, len(places))):
        name, value, function = rng.choice(places)
        uses = [
            n
            for n in ast.walk(function)
            if isinstance(n, ast.Name) and n.id == name and not file.in_fstring(n)
        ]
        if not uses or value in file.source(function):
            continue
        edits = [Edit(file.start(n), file.end(n), value) for n in uses]
        return reverse(
            file, function, edits, ask(rng, "constant", function=function.name, name=name, value=value)
        )
    return None


def _constants(file: ParsedFile) -> list[tuple[str, str, FunctionNode]]:
    values: dict[str, str] = {}
    for node in file.tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Constant):
            target = node.targets[0]
            text = file.source(node.value)
            if (
                isinstance(target, ast.Name)
                and target.id.isupper()
                and 1 < len(text) < 30
                and "\n" not in text
            ):
                values[target.id] = text
    return [(n, v, f) for n, v in values.items() for f in functions(file) if n in file.source(f)]


def extract(file: ParsedFile, rng: Random) -> Defect | None:
    """An expression that gets a name of its own."""
    found = _single_use(file, rng)
    if found is None:
        return None
    function, edits, name, value = found
    return reverse(file, function, edits, ask(rng, "extract", function=function.name, name=name, value=value))


def inline(file: ParsedFile, rng: Random) -> Defect | None:
    """A variable that is used once, replaced by its value."""
    found = _single_use(file, rng)
    if found is None:
        return None
    function, edits, name, _ = found
    return forward(file, function, edits, ask(rng, "inline", function=function.name, name=name))


def _single_use(file: ParsedFile, rng: Random) -> tuple[FunctionNode, list[Edit], str, str] | None:
    """An assignment used once, by the next statement: the edits that put the value there."""
    places = file.cached("single_use", lambda: _assigned_once(file))
    return rng.choice(places) if places else None


def _assigned_once(file: ParsedFile) -> list[tuple[FunctionNode, list[Edit], str, str]]:
    found: list[tuple[FunctionNode, list[Edit], str, str]] = []
    for function in functions(file):
        for above, below in _neighbours(function):
            if not (isinstance(above, ast.Assign) and len(above.targets) == 1 and file.alone(above)):
                continue
            target, value = above.targets[0], above.value
            plain = isinstance(value, ast.Call | ast.Attribute | ast.Subscript | ast.List | ast.Constant)
            if not isinstance(target, ast.Name) or not plain or above.lineno != above.end_lineno:
                continue
            if not isinstance(below, ast.Assign | ast.Return | ast.Expr | ast.AugAssign):
                continue
            places = names_in(file, function, target.id)
            source = file.source(value)
            start, end = file.start(below), file.end(below)
            if places is None or len(places) != 2 or not start <= places[1][0] < end or len(source) > 50:
                continue
            line = file.line_text(file.line_at(places[1][0]))
            inside = file.text[places[1][0] - 1] in "{" or len(line) + len(source) > 99
            if inside or below.lineno != above.lineno + 1:
                continue
            first, last = whole_lines(file, above.lineno, above.lineno)
            found.append((function, [Edit(first, last, ""), Edit(*places[1], source)], target.id, source))
    return found


def _neighbours(function: FunctionNode) -> list[tuple[ast.stmt, ast.stmt]]:
    pairs: list[tuple[ast.stmt, ast.stmt]] = []
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                pairs += pairwise(body)
    return pairs
