"""Instructions about formatted strings: from `%`, str.format, f-strings and concatenation to another of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from random import Random

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import single, standard
from copydesk_training.defects.instructed.task import Task, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile

Parts = list[tuple[str, str]]
"""Literal text (as it is spelt between quotes), and the expression behind it; the last one may have none."""
Formatted = tuple[FunctionNode, ast.expr, str, str, Parts]
"""The function, the node, its style, its quote and its parts."""
_STYLES = {
    "f-string": ("an f-string", "f-string", "f-strings"),
    "format": ("str.format", ".format()", "str.format()", "the format method"),
    "percent": ("% formatting", "%-formatting", "percent formatting", "printf-style formatting"),
    "concatenation": ("concatenation", "string concatenation", "plain concatenation with +"),
}
_LITERAL = re.compile(r"""(["'])(?!\1\1)([^\\\n{}%]*)\1""")
_NAMED = re.compile(r"[A-Za-z_][\w.]*")


def _formatted(file: ParsedFile) -> Iterator[Formatted]:
    for node in file.of(ast.JoinedStr, ast.BinOp, ast.Call):
        function = file.function_of(node)
        if (
            function is None
            or not standard(function)
            or not single(node)
            or file.in_fstring(file.parent(node) or node)
        ):
            continue
        if not isinstance(file.parent(node), ast.stmt | ast.Call | ast.keyword | ast.List | ast.Dict):
            continue
        found = _f_string(file, node) or _method(file, node) or _percent(file, node) or _sum(file, node)
        if (
            found is not None
            and 1 <= sum(bool(e) for _, e in found[2]) <= 4
            and any(text for text, _ in found[2])
        ):
            yield function, node, *found


def _split(body: str, mark: str, names: list[str]) -> Parts | None:
    texts = re.split(mark, body)
    if (
        len(texts) != len(names) + 1
        or not all(_NAMED.fullmatch(n) for n in names)
        or re.search(r"[{}%]", "".join(texts))
    ):
        return None
    return list(zip(texts, [*names, ""], strict=True))


def _f_string(file: ParsedFile, node: ast.AST) -> tuple[str, str, Parts] | None:
    source = file.source(node)
    match = (
        re.fullmatch(r"""f(["'])(?!\1\1)([^\\\n]*)\1""", source) if isinstance(node, ast.JoinedStr) else None
    )
    if match is None or "{{" in source or "}}" in source:
        return None
    parts = _split(match[2], r"\{[^{}]*\}", re.findall(r"\{([^{}]*)\}", source))
    return ("f-string", match[1], parts) if parts else None


def _method(file: ParsedFile, node: ast.AST) -> tuple[str, str, Parts] | None:
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr != "format"
        or node.keywords
    ):
        return None
    match = re.fullmatch(r"""(["'])(?!\1\1)([^\\\n]*)\1""", file.source(node.func.value))
    parts = _split(match[2], r"\{\}", [file.source(a) for a in node.args]) if match else None
    return ("format", match[1], parts) if parts and match else None


def _percent(file: ParsedFile, node: ast.AST) -> tuple[str, str, Parts] | None:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return None
    # What is not a tuple may still be one when it runs; only str() of it, an attribute of self or a tuple are taken.
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    match = re.fullmatch(r"""(["'])(?!\1\1)([^\\\n]*)\1""", file.source(node.left))
    parts = _split(match[2], "%s", [file.source(v) for v in values]) if match else None
    return ("percent", match[1], parts) if parts and match else None


def _sum(file: ParsedFile, node: ast.AST) -> tuple[str, str, Parts] | None:
    """`"a" + str(x) + "b"`: what is no literal is made text first, so that it is clear what the others write."""
    operands: list[ast.expr] = []
    at = node
    while isinstance(at, ast.BinOp) and isinstance(at.op, ast.Add):
        operands.insert(0, at.right)
        at = at.left
    if not operands or not isinstance(at, ast.expr):
        return None
    parts: Parts = []
    text, quote = "", ""
    for operand in [at, *operands]:
        literal = _LITERAL.fullmatch(file.source(operand))
        if literal is not None:
            text, quote = text + literal[2], quote or literal[1]
            if literal[1] != quote:
                return None
            continue
        call = operand
        wrapped = isinstance(call, ast.Call) and file.source(call.func) == "str" and len(call.args) == 1
        if (
            not wrapped
            or not isinstance(call, ast.Call)
            or call.keywords
            or not _NAMED.fullmatch(file.source(call.args[0]))
        ):
            return None
        parts.append((text, file.source(call.args[0])))
        text = ""
    return ("concatenation", quote, [*parts, (text, "")]) if quote else None


def _written(style: str, quote: str, parts: Parts) -> str:
    names = [e for _, e in parts if e]
    if style == "f-string":
        return f"f{quote}" + "".join(t + (f"{{{e}}}" if e else "") for t, e in parts) + quote
    if style == "format":
        return (
            quote + "".join(t + ("{}" if e else "") for t, e in parts) + f"{quote}.format({', '.join(names)})"
        )
    if style == "percent":
        body = quote + "".join(t + ("%s" if e else "") for t, e in parts) + quote
        return f"{body} % ({', '.join(names)}{',' if len(names) == 1 else ''})"
    pieces: list[str] = []
    for text, name in parts:
        pieces += [f"{quote}{text}{quote}"] if text else []
        pieces += [f"str({name})"] if name else []
    return " + ".join(pieces)


def _restyled(file: ParsedFile, rng: Random, site: Formatted) -> Task | None:
    function, node, style, quote, parts = site
    other = rng.choice([s for s in _STYLES if s != style])
    if (
        style == "percent"
        and len(parts) == 2
        and not isinstance(getattr(node, "right", None), ast.Tuple)
        and other != "f-string"
    ):
        return None
    new = _written(other, quote, parts)
    back = rng.random() < 0.4 and _written(style, quote, parts) == file.source(node)
    source, target = (other, style) if back else (style, other)
    fields = {"target": rng.choice(_STYLES[target]), "source": rng.choice(_STYLES[source])}
    near = file.cached("formatted", lambda: _formatted(file))
    rivals = frozenset(n.lineno for f, n, *_ in near if f is function)
    rivals |= {n.lineno for n in ast.walk(function) if isinstance(n, ast.JoinedStr)}
    if sum(n.lineno == node.lineno for f, n, *_ in near) > 1:
        return None
    lines = node.lineno, node.end_lineno or node.lineno
    edit = Edit(file.start(node), file.end(node), new)
    return Task("string_format", function, lines, [edit], fields, back, rivals - {node.lineno})


string_format = varied("formatted", _formatted, _restyled)
