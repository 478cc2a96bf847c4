"""What parsers say about broken text: CPython by asking it, ruff and pyright by tables."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from bisect import bisect_right
from dataclasses import dataclass
from random import Random

from copydesk.request import Diagnostic
from copydesk_training.defects.broken import Broken, Defect
from copydesk_training.defects.parsed import FunctionNode, ParsedFile

CONTEXT_LINES = 8
"""About how much CPython sees behind the unit with the error."""
UNIT_LINES = 60
"""Longer functions are not shown whole."""
_LINE_NUMBER = re.compile(r"(?<=\bon line )\d+|(?<=\bat line )\d+")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one parser says, at offsets of the broken text."""

    message: str
    start: int
    end: int
    code: str | None = None


def syntax_defect(
    broken: Broken, rng: Random, at: int, *, ruff: Finding | None = None, pyright: Finding | None = None
) -> Defect | None:
    """The defect, worded by one of the parsers. `at`: an offset in the clean text, of a line that is broken.

    None if CPython finds nothing wrong: then the text only means something else.
    """
    found = python_error(broken, at)
    if found is None:
        return None
    chance = rng.random()
    if ruff is not None and chance < 0.4:
        prefix = "SyntaxError: " if rng.random() < 0.3 else ""
        code = rng.choice(("invalid-syntax", "invalid-syntax", None))
        return broken.defect(_diagnostic(broken, ruff, prefix + ruff.message, code, "Ruff"))
    if pyright is not None and chance < 0.65:
        return broken.defect(_diagnostic(broken, pyright, pyright.message, pyright.code, "Pyright"))
    error, kind = found
    message, code, source = _worded(rng, kind, error.message)
    return broken.defect(_diagnostic(broken, error, message, code, source))


def _worded(rng: Random, kind: str, message: str) -> tuple[str, str | None, str | None]:
    match rng.randrange(6):
        case 0:
            return message, None, "pyflakes"
        case 1:
            return f"{kind}: {message}", "E999", "flake8"
        case 2:
            return message, "syntax", "mypy"
        case 3:
            return f"Parsing failed: '{message} (<unknown>)'", "E0001", "pylint"
        case _:
            return f"{kind}: {message}", None, None


def _diagnostic(
    broken: Broken, at: Finding, message: str, code: str | None, source: str | None
) -> Diagnostic:
    start = broken.position(at.start)
    end = broken.position(at.end) if at.end > at.start else start
    return Diagnostic(start, end, message, code, source, 1)


def python_error(broken: Broken, at: int) -> tuple[Finding, str] | None:
    """What CPython says about the unit of code round the clean offset `at`, and the error's name."""
    unit = _unit(broken.file, broken.file.line_at(at))
    if unit is None:
        return None
    first, last, headers = unit
    starts = broken.file.starts
    begin = broken.offset(starts[first - 1])
    finish = broken.offset(starts[last]) if last < len(starts) else len(broken.text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(headers + broken.text[begin:finish])
    except SyntaxError as error:
        return _located(broken.text, error, begin, headers.count("\n")), type(error).__name__
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _located(text: str, error: SyntaxError, begin: int, wrapped: int) -> Finding:
    line, last = (error.lineno or 1) - wrapped, (error.end_lineno or error.lineno or 1) - wrapped
    start = _offset(text, begin, line, (error.offset or 1) - 1)
    end = _offset(text, begin, last, (error.end_offset or 1) - 1) if last >= line else start
    above = text.count("\n", 0, begin) - wrapped
    message = _LINE_NUMBER.sub(lambda m: str(int(m.group()) + above), error.msg)
    return Finding(message, start, max(start, end))


def _offset(text: str, begin: int, line: int, column: int) -> int:
    """Of a line counted from 1 at `begin`, and a character; clamped to the line."""
    at = begin
    for _ in range(line - 1):
        found = text.find("\n", at)
        if found < 0:
            return len(text)
        at = found + 1
    end = text.find("\n", at)
    return min(at + max(0, column), len(text) if end < 0 else end)


def _unit(file: ParsedFile, line: int) -> tuple[int, int, str] | None:
    """The lines CPython is shown for an error at `line`, and the headers that make them legal there."""
    statement = _innermost(file, line)
    if statement is None:
        return None
    unit: ast.stmt = statement
    for outer in file.ancestors(statement):
        if isinstance(outer, ast.stmt):
            if isinstance(outer, ast.ClassDef) or (outer.end_lineno or 0) - outer.lineno > UNIT_LINES:
                break
            unit = outer
            if isinstance(outer, FunctionNode):
                break
    outer_node = file.parent(unit)
    while isinstance(outer_node, ast.stmt) and _leans(file, unit):
        unit, outer_node = outer_node, file.parent(outer_node)
    last = _brief_end(unit, line)
    follower: ast.stmt | None = unit
    stop = last + CONTEXT_LINES
    if last < (unit.end_lineno or last):
        stop = last
    while last < stop and follower is not None:
        follower = _next(file, follower)
        if follower is None:
            break
        last = max(last, _brief_end(follower, follower.lineno))
    headers = "".join(
        " " * depth + "if 1:\n"
        for depth in sorted({n.col_offset for n in file.ancestors(unit) if isinstance(n, ast.stmt)})
    )
    return _first_line(unit), last, headers


def _leans(file: ParsedFile, unit: ast.stmt) -> bool:
    """Whether a statement cannot be read without the header above it: an `elif`, or the first of its block."""
    body = file.body_of(unit)
    return file.text.startswith("elif", file.start(unit)) or (body is not None and body[0] is unit)


def _innermost(file: ParsedFile, line: int) -> ast.stmt | None:
    """The smallest statement that a line is part of, its decorators included."""
    body: list[ast.stmt] = file.tree.body
    found: ast.stmt | None = None
    while body:
        k = bisect_right(body, line, key=_first_line) - 1
        if k < 0 or (body[k].end_lineno or 0) < line:
            break
        found = body[k]
        inside: list[ast.AST] = []
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            for part in getattr(found, field, ()):
                inside += part.body if isinstance(part, ast.ExceptHandler | ast.match_case) else [part]
        body = [s for s in inside if isinstance(s, ast.stmt)]
        body.sort(key=_first_line)
    return found


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])


def _brief_end(statement: ast.stmt, line: int) -> int:
    """Where a statement may be cut off, behind `line`: a long definition behind the first statement of its body."""
    end = statement.end_lineno or statement.lineno
    if isinstance(statement, FunctionNode | ast.ClassDef) and end - statement.lineno > UNIT_LINES:
        first = statement.body[0]
        return _brief_end(first, line) if (first.end_lineno or 0) >= line else end
    return end


def _next(file: ParsedFile, statement: ast.stmt) -> ast.stmt | None:
    """The statement behind one, in its own body or in one further out; None where another clause comes between."""
    at: ast.AST = statement
    while True:
        body = file.body_of(at) if isinstance(at, ast.stmt) else None
        if body is not None:
            k = body.index(at)  # type: ignore[arg-type]
            if k + 1 < len(body):
                return body[k + 1]
        outer = file.parent(at)
        if outer is None or getattr(outer, "end_lineno", statement.end_lineno) != statement.end_lineno:
            return None
        at = outer


def at_newline(broken: Broken, offset: int) -> tuple[int, int]:
    """The line break behind an offset, as ruff and pyright mark it."""
    end = broken.text.find("\n", offset)
    return (len(broken.text),) * 2 if end < 0 else (end, end + 1)


_STRING = r"""(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_TOKEN = re.compile(
    rf"(?P<string>[rRbBuU]{{0,2}}{_STRING})|(?P<fstring>[fF][rR]?[\"'])|(?P<number>\d[\w.]*)|(?P<word>[^\W\d]\w*)"
    r"|(?P<op>\*\*=?|//=?|>>=?|<<=?|->|:=|[-+*/%&|^=!<>]=|[^\s\w])",
    re.DOTALL,
)
_KEYWORDS = frozenset(keyword.kwlist)


def token_behind(text: str, offset: int) -> tuple[str, int, int] | None:
    """The token at or behind an offset: what ruff calls it, and where it is. Line breaks are skipped."""
    match = re.compile(r"(?:\s|\\\n|#[^\n]*)*").match(text, offset)
    found = _TOKEN.match(text, match.end() if match else offset)
    if found is None:
        return None
    word = found.group()
    if found.lastgroup == "word":
        name = (
            f"`{word}`"
            if word in _KEYWORDS
            else "name"
            if word in ("match", "case", "type")
            else "identifier"
        )
    else:
        name = {"string": "string", "fstring": "f-string", "number": "int"}.get(
            found.lastgroup or "", f"`{word}`"
        )
        if name == "int" and not word.isdigit():
            name = "float"
    return name, found.start(), found.end()
