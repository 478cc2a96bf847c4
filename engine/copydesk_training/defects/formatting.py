"""Instructions about strings: `%` and `.format` to f-strings."""

from __future__ import annotations

import ast
import re
from random import Random

from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import forward, functions, reverse, whole_lines

_PLACE = re.compile(r"%[sd]|%%|%")
_FORMATTED = re.compile(r"""["']\s*%|\.format\(""")


def fstring(file: ParsedFile, rng: Random) -> Defect | None:
    """One formatted string, made an f-string."""
    found = file.cached("to_fstring", lambda: [*_from_fstrings(file), *_from_percent(file)])
    if not found:
        return None
    function, node, forms, back = rng.choice(found)
    style = rng.choice(sorted(forms))
    selected = next((n for n in (function, node) if not _others(file, n, node)), None)
    if selected is None:
        return None
    text = ask(rng, "fstring", function=function.name, style=style)
    edit = Edit(file.start(node), file.end(node), forms[style])
    return (reverse if back else forward)(file, selected, [edit], text)


Place = tuple[FunctionNode, ast.expr, dict[str, str], bool]
"""The function, the string, its other form per style, and whether the f-string is the file's own."""


def _others(file: ParsedFile, selected: ast.stmt | ast.expr, node: ast.expr) -> bool:
    """Whether anything but `node` is formatted on the lines of `selected`, so that "use an f-string" could mean that."""
    begin, end = whole_lines(file, selected.lineno, selected.end_lineno or selected.lineno)
    rest = file.text[begin : file.start(node)] + " " + file.text[file.end(node) : end]
    return _FORMATTED.search(rest) is not None


def _from_fstrings(file: ParsedFile) -> list[Place]:
    """The file's f-strings, with `%` and `.format` in their place."""
    found: list[Place] = []
    small = set(functions(file))
    for node in file.of(ast.JoinedStr):
        function = file.function_of(node)
        if (
            function is None
            or function not in small
            or any(isinstance(a, ast.JoinedStr) for a in file.ancestors(node))
        ):
            continue
        source = file.source(node)
        if not re.fullmatch(r"""f(["'])(?!\1\1)[^\\\n]*\1""", source) or not 1 <= len(_fields(source)) <= 4:
            continue
        fields = _fields(source)
        plain = all(re.fullmatch(r"[\w.]+", f) for f in fields) and "{{" not in source and "}}" not in source
        if not plain or "%" in source or sum(c in "{}" for c in source) != 2 * len(fields):
            continue
        body = re.sub(r"\{[^{}]*\}", "\0", source[1:])
        arguments = ", ".join(fields)
        one = arguments if len(fields) == 1 else f"({arguments})"
        forms = {
            "str.format": body.replace("\0", "{}") + f".format({arguments})",
            "%": body.replace("\0", "%s") + f" % {one}",
        }
        found.append((function, node, forms, True))
    return found


def _fields(source: str) -> list[str]:
    return re.findall(r"\{([^{}]*)\}", source)


def _from_percent(file: ParsedFile) -> list[Place]:
    """The file's own `%` formatting of plain names."""
    found: list[Place] = []
    small = set(functions(file))
    for node in file.of(ast.BinOp):
        function = file.function_of(node)
        if function is None or function not in small or not isinstance(node.op, ast.Mod):
            continue
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        source = file.source(node.left)
        if not re.fullmatch(r"""(["'])(?!\1\1)[^\\\n{}]*\1""", source):
            continue
        if not all(isinstance(v, ast.Name | ast.Attribute) for v in values):
            continue
        places = _PLACE.findall(source)
        names = [file.source(v) for v in values]
        if len(places) != len(names) or not names or any(p not in ("%s", "%d") for p in places):
            continue
        filler = iter(names)
        new = "f" + _PLACE.sub(lambda _, f=filler: "{" + next(f) + "}", source)  # type: ignore[misc]
        found.append((function, node, {"%": new}, False))
    return found
