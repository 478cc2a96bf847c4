"""Instructions about exceptions: another type, a cause, a log entry, a raise in place of an assert."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import (
    ends_line,
    heads,
    replaced,
    rewritable,
    single,
    standard,
    statements,
)
from copydesk_training.defects.instructed.task import Task, either, tasks, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import inverted

_TYPES = (
    "ValueError", "TypeError", "KeyError", "OSError", "RuntimeError", "AttributeError", "IndexError", "LookupError",
    "NotImplementedError", "FileNotFoundError", "PermissionError", "TimeoutError", "ConnectionError", "ImportError",
    "UnicodeDecodeError", "ArithmeticError", "ZeroDivisionError", "Exception", "AssertionError", "StopIteration",
)  # fmt: skip
Handled = tuple[FunctionNode, ast.ExceptHandler]


def _handlers(file: ParsedFile) -> Iterator[Handled]:
    """The `except` clauses whose bodies stand on lines of their own."""
    for node in file.of(ast.ExceptHandler):
        function = file.function_of(node)
        first = node.body[0]
        plain = first.lineno > node.lineno and file.alone(node) and ends_line(file, node)
        if function is not None and standard(function) and plain:
            yield function, node


# -- type ------------------------------------------------------------------------------------------------------


def _caught(file: ParsedFile) -> Iterator[tuple[FunctionNode, ast.ExceptHandler | ast.Raise, ast.Name]]:
    for function, node in _handlers(file):
        if isinstance(node.type, ast.Name) and single(node.type):
            yield function, node, node.type


def _raised(file: ParsedFile) -> Iterator[tuple[FunctionNode, ast.ExceptHandler | ast.Raise, ast.Name]]:
    for function, node in statements(file, ast.Raise):
        exc = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(exc, ast.Name) and exc.id[:1].isupper():
            yield function, node, exc


def _retyped(
    file: ParsedFile, rng: Random, site: tuple[FunctionNode, ast.ExceptHandler | ast.Raise, ast.Name]
) -> Task | None:
    function, node, name = site
    other = rng.choice([t for t in _TYPES if t != name.id])
    same = ast.Raise if isinstance(node, ast.Raise) else ast.ExceptHandler
    if same is ast.ExceptHandler:
        block = file.parent(node)
        caught = {h.type.id for h in getattr(block, "handlers", ()) if isinstance(h.type, ast.Name)}
        if other in caught:
            return None
    back = rng.random() < 0.4 and name.id in _TYPES
    old, new = (other, name.id) if back else (name.id, other)
    subject = "exception_raised" if same is ast.Raise else "exception_caught"
    last = node.end_lineno or node.lineno
    lines = (node.lineno, last if same is ast.Raise or rng.random() < 0.5 else node.lineno)
    rivals = heads(function, lambda n: isinstance(n, same), node)
    if same is ast.ExceptHandler and any(node.lineno < k <= lines[1] for k in rivals):
        lines = (node.lineno, node.lineno)
    edit = Edit(file.start(name), file.end(name), other)
    return Task(subject, function, lines, [edit], {"old": old, "new": new}, back, rivals)


exception_type = either(
    varied("exception_caught", _caught, _retyped), varied("exception_raised", _raised, _retyped)
)

# -- cause -----------------------------------------------------------------------------------------------------


def _chained(file: ParsedFile) -> Iterator[Task]:
    for function, handler in _handlers(file):
        raises = [n for n in ast.walk(handler) if isinstance(n, ast.Raise) and n.exc is not None]
        inner = any(isinstance(n, FunctionNode | ast.Lambda) for n in ast.walk(handler))
        if len(raises) != 1 or inner or not file.alone(raises[0]):
            continue
        node = raises[0]
        assert node.exc is not None
        if isinstance(node.exc, ast.Name) and node.exc.id == handler.name:
            continue
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        fields = {"error": file.source(error)}
        rivals = heads(function, lambda n: isinstance(n, ast.Raise), node)
        last = node.end_lineno or node.lineno
        if isinstance(node.cause, ast.Name | ast.Constant):
            start, end = file.end(node.exc), file.end(node.cause)
            cause = file.source(node.cause)
            if file.text[start:end] != f" from {cause}":
                continue
            edit, back = Edit(start, end, ""), True
        elif node.cause is None:
            cause = handler.name or "None"
            edit, back = Edit(file.end(node), file.end(node), f" from {cause}"), False
        else:
            continue
        if back and cause not in ("None", handler.name):
            continue
        if cause == "None":
            subject = "exception_without_cause"
        else:
            subject, fields["name"] = "exception_chain", cause
        lines = (handler.lineno, last) if node.lineno - handler.lineno < 4 else (node.lineno, last)
        yield Task(subject, function, lines, [edit], fields, back, rivals)


exception_chain = tasks("exception_chain", _chained)

# -- log -------------------------------------------------------------------------------------------------------

_LOGGERS = ("logger", "log", "_logger", "LOG", "_log", "LOGGER")


def _logged(file: ParsedFile, rng: Random, site: Handled) -> Task | None:
    function, handler = site
    first = handler.body[0]
    if not single(first) or not file.alone(first):
        return None
    words = function.name.strip("_").replace("_", " ")
    message = rng.choice(
        (
            f"{words} failed",
            f"error in {words}",
            f"could not {words}",
            "unexpected error",
            f"{words}: giving up",
        )
    )
    quoted = f'"{message}"' if file.text.count('"') >= file.text.count("'") else f"'{message}'"
    call = _log_call(file, rng, quoted, handler.name)
    if call in file.source(function):
        return None
    line = f"{file.indent(first)}{call}"
    rivals = heads(function, lambda n: isinstance(n, ast.ExceptHandler), handler)
    fields = {"call": call}
    if isinstance(handler.type, ast.Name):
        fields["error"] = handler.type.id
    lines = (handler.lineno, first.lineno)
    if first.lineno != handler.lineno + 1 or any(handler.lineno < k <= first.lineno for k in rivals):
        return None
    if isinstance(first, ast.Pass) and len(handler.body) == 1:
        edit = replaced(file, first.lineno, first.lineno, [line])
        return Task("exception_log_pass", function, lines, [edit], fields, False, rivals)
    at = file.line_start(file.start(first))
    return Task("exception_log", function, lines, [Edit(at, at, line + "\n")], fields, False, rivals)


def _log_call(file: ParsedFile, rng: Random, message: str, name: str | None) -> str:
    known = [n.id for n in file.of(ast.Name) if n.id in _LOGGERS]
    modules = [a.name for n in file.of(ast.Import) for a in n.names if a.asname is None]
    if known or "logging" in modules:
        logger = known[0] if known else "logging"
        method = rng.choice(("exception", "exception", "error", "warning", "debug", "info"))
        if name is not None and method != "exception" and rng.random() < 0.6:
            return f"{logger}.{method}({message[:-1]}: %s{message[-1]}, {name})"
        return f"{logger}.{method}({message})"
    if "traceback" in modules and rng.random() < 0.5:
        return "traceback.print_exc()"
    if "warnings" in modules and rng.random() < 0.5:
        return f"warnings.warn({message})"
    stderr = ", file=sys.stderr" if "sys" in modules and rng.random() < 0.5 else ""
    return f"print({message}{f', {name}' if name is not None else ''}{stderr})"


exception_log = varied("exception_log", _handlers, _logged)

# -- assert ----------------------------------------------------------------------------------------------------


def _asserted(file: ParsedFile) -> Iterator[tuple[FunctionNode, ast.Assert]]:
    for function, node in statements(file, ast.Assert):
        if rewritable(file, node.lineno, node.end_lineno) and single(node) and inverted(file, node.test):
            yield function, node


def _raising(file: ParsedFile, rng: Random, site: tuple[FunctionNode, ast.Assert]) -> Task | None:
    function, node = site
    error = rng.choice(("ValueError", "ValueError", "TypeError", "RuntimeError", "AssertionError"))
    fields = {"error": error, "what": file.source(node.test)}
    if node.msg is None:
        subject = "assert_to_raise_text"
        text = rng.choice(
            (
                "invalid argument",
                "invalid state",
                "unexpected value",
                f"bad call of {function.name}",
                "this cannot be",
            )
        )
        fields["text"], message = text, f'"{text}"'
    else:
        subject, message = "assert_to_raise", file.source(node.msg)
        if isinstance(node.msg, ast.Tuple):
            return None
    indent = file.indent(node)
    new = [f"{indent}if {inverted(file, node.test)}:", f"{indent}    raise {error}({message})"]
    rivals = heads(function, lambda n: isinstance(n, ast.Assert), node)
    edit = replaced(file, node.lineno, node.lineno, new)
    return Task(subject, function, (node.lineno, node.lineno), [edit], fields, False, rivals)


assert_to_raise = varied("assert_to_raise", _asserted, _raising)
