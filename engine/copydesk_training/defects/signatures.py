"""Instructions about a function's head: type hints, parameters, defaults, docstrings, guards."""

from __future__ import annotations

import ast
import re
from random import Random

from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import (
    body_start,
    default_of,
    documented,
    forward,
    functions,
    parameters_of,
    reverse,
    whole_lines,
)

TRIES = 8
_NEW = [
    "timeout", "verbose", "debug", "encoding", "default", "strict", "limit", "prefix", "suffix", "name",
    "key", "callback", "depth", "indent", "sep", "retries", "force", "recursive", "quiet", "logger",
    "config", "context", "dry_run", "max_size", "use_cache", "width", "height", "start", "stop", "step",
]  # fmt: skip
_DEFAULTS = ("None", "None", "None", "False", "True", "0", "1", "10", "''", "()", "-1", "30")
_OTHERS = {"None": ("0", "''", "False", "()"), "True": ("False", "None"), "False": ("True", "None")}


def type_hint(file: ParsedFile, rng: Random) -> Defect | None:
    """An annotation for a parameter or the return value."""
    found = functions(file)
    for _ in range(min(TRIES * 2, len(found))):
        function = rng.choice(found)
        edit = _annotation(file, rng, function)
        if edit is not None:
            return edit
    return None


def _annotation(file: ParsedFile, rng: Random, function: FunctionNode) -> Defect | None:
    parameters = parameters_of(function)
    annotated = [a for a in parameters if a.annotation is not None]
    if function.returns is not None and (not annotated or rng.random() < 0.3):
        head = file.text.rfind(")", 0, file.start(function.returns))
        if "\n" in file.text[head : file.start(function.returns)]:
            return None
        shown = file.source(function.returns)
        edit = Edit(head + 1, file.end(function.returns), "")
        return reverse(file, function, [edit], ask(rng, "return_hint", function=function.name, type=shown))
    if annotated:
        arg = rng.choice(annotated)
        assert arg.annotation is not None
        shown = file.source(arg.annotation)
        if "\n" in shown:
            return None
        edits = [Edit(file.start(arg) + len(arg.arg), file.end(arg.annotation), "")]
        default = default_of(function, arg)
        if default is not None:
            gap = file.end(arg.annotation), file.start(default)
            if file.text[slice(*gap)] == " = ":
                edits = [edits[0]._replace(end=gap[1], new="=")]
        return reverse(
            file, function, edits, ask(rng, "type_hint", function=function.name, name=arg.arg, type=shown)
        )
    for arg in rng.sample(parameters, len(parameters)):
        default = default_of(function, arg)
        kind = type(default.value).__name__ if isinstance(default, ast.Constant) else ""
        if default is None or kind not in ("int", "str", "bool", "float", "bytes"):
            continue
        if file.text[file.end(arg) : file.start(default)] == "=":
            edit = Edit(file.end(arg), file.start(default), f": {kind} = ")
            return forward(
                file, function, [edit], ask(rng, "type_hint_default", function=function.name, name=arg.arg)
            )
    return None


def parameter(file: ParsedFile, rng: Random) -> Defect | None:
    """A new parameter with a default, or one too many."""
    found = functions(file)
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        arguments = function.args
        name, value = rng.choice(_NEW), rng.choice(_DEFAULTS)
        if not arguments.args or re.search(rf"\b{name}\b", file.source(function)):
            continue
        last = arguments.args[-1]
        at = file.end(arguments.defaults[-1]) if arguments.defaults else file.end(last)
        typed = any(a.annotation for a in arguments.args)
        new = f"{name}: {type_of(value)} = {value}" if typed and value != "None" else f"{name}={value}"
        head = file.text[file.line_start(file.start(last)) : file.start(last)]
        separator = ", "
        if not head.strip() and len(arguments.args) > 1:
            separator = ",\n" + head
        if file.text[at : at + 1] not in (",", ")"):
            continue
        if rng.random() < 0.6:
            edit = Edit(at, at, separator + new)
            return forward(
                file, function, [edit], ask(rng, "parameter", function=function.name, name=name, value=value)
            )
        return reverse(
            file,
            function,
            [Edit(at, at, separator + new)],
            ask(rng, "remove_parameter", function=function.name, name=name),
        )
    return None


def type_of(value: str) -> str:
    """The type's name of a default, as spelt in `_DEFAULTS`."""
    return type(ast.literal_eval(value)).__name__


def default(file: ParsedFile, rng: Random) -> Defect | None:
    """Another default for a parameter."""
    found = functions(file)
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        pairs = [(a, default_of(function, a)) for a in parameters_of(function)]
        known = [
            (a, d) for a, d in pairs if isinstance(d, ast.Constant) and file.source(d) in _OTHERS | _NUMBERS
        ]
        if not known:
            continue
        arg, old = rng.choice(known)
        assert old is not None
        source = file.source(old)
        value = rng.choice((_OTHERS | _NUMBERS)[source])
        edits = [Edit(file.start(old), file.end(old), value)]
        if rng.random() < 0.5:
            return forward(
                file, function, edits, ask(rng, "default", function=function.name, name=arg.arg, value=value)
            )
        return reverse(
            file, function, edits, ask(rng, "default", function=function.name, name=arg.arg, value=source)
        )
    return None


_NUMBERS = {
    str(n): tuple(str(m) for m in (0, 1, 2, 5, 10, 60, 100, 1000) if m != n) for n in (*range(11), 60, 100)
}


def docstring(file: ParsedFile, rng: Random) -> Defect | None:
    """A docstring of one line, with its words in the instruction."""
    found = file.cached(
        "docstring", lambda: [f for f in functions(file) if documented(f) and len(f.body) > 1]
    )
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        first = function.body[0]
        text = ast.get_docstring(function) or ""
        plain = file.source(first) in (f'"""{text}"""',) and "\n" not in text
        if not plain or not file.alone(first) or not 4 < len(text) < 90 or "`" in text:
            continue
        start, end = whole_lines(file, first.lineno, first.lineno)
        if not file.line_text(first.lineno + 1).strip():
            end += len(file.line_text(first.lineno + 1)) + 1
        return reverse(
            file, function, [Edit(start, end, "")], ask(rng, "docstring", function=function.name, text=text)
        )
    return None


def guard(file: ParsedFile, rng: Random) -> Defect | None:
    """A test for None at a function's start."""
    found = functions(file)
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        parameters = [a.arg for a in parameters_of(function)]
        place = body_start(file, function)
        if not parameters or place is None:
            continue
        name = rng.choice(parameters)
        if re.search(rf"\b{name} is (not )?None|not {name}\b", file.source(function)):
            continue
        indent, at = place
        if rng.random() < 0.6:
            value = rng.choice(("None", "None", "False", "[]", "''", "0", "{}"))
            text = ask(rng, "guard", function=function.name, name=name, value=value)
            last = f"return {value}"
        else:
            error = rng.choice(("ValueError", "TypeError"))
            text = ask(rng, "raise_guard", function=function.name, name=name, error=error)
            last = f'raise {error}("{name} must not be None")'
        new = f"{indent}if {name} is None:\n{indent}    {last}\n"
        return forward(file, function, [Edit(at, at, new)], text)
    return None
