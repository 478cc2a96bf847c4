"""Instructions about strings: `%` and `.format` to f-strings."""

from __future__ import annotations

import ast
import re
from random import Random

from copydesk.training.defects.asks import ask
from copydesk.training.defects.broken import Defect, Edit
from copydesk.training.defects.parsed import FunctionNode, ParsedFile
from copydesk.training.defects.revision import forward, functions, reverse

_PLACE = re.compile(r"%[sd]|%%|%")


def fstring(file: ParsedFile, rng: Random) -> Defect | None:
    """One formatted string, made an f-string."""
    found = file.cached("to_fstring", lambda: [*_from_fstrings(file), *_from_percent(file)])
    if not found:
        return None
    function, start, end, forms, back = rng.choice(found)
    style = rng.choice(sorted(forms))
    text = ask(rng, "fstring", style=style)
    edit = Edit(start, end, forms[style])
    if back:
        return reverse(file, function, [edit], text)
    return forward(file, function, [edit], text)


Place = tuple[FunctionNode, int, int, dict[str, str], bool]
"""The function, the string's offsets, its other form per style, and whether the f-string is the file's own."""


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
        found.append((function, file.start(node), file.end(node), forms, True))
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
        found.append((function, file.start(node), file.end(node), {"%": new}, False))
    return found
