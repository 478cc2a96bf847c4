"""Where a file's import block is, found line by line.

Cheap and stable rather than exact: it is needed on every keystroke and determines the header of every page, so it looks only at
the top of the file, needs no parse, and does not depend on half-typed code below the imports. It recognises Python's and
JavaScript's imports and, for other languages, the keywords that imports start with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.request import Range

SCAN_LINES = 2000
"""Imports below this line are not looked for."""
STATEMENT_LINES = 200
"""A bracket open for longer than this is half-typed code, not a statement."""

JAVASCRIPT = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the lines at the top of a file look like. Patterns are matched against a line, from its start."""

    comment: re.Pattern[str]
    imports: re.Pattern[str]
    neutral: re.Pattern[str]
    """May occur between imports."""
    compound: re.Pattern[str] | None = None
    """Opens an indented block that counts as an import if its first line is one."""
    clause: re.Pattern[str] | None = None
    """Continues such a block."""
    future: re.Pattern[str] | None = None
    """An import that has to come first; it belongs to the preamble."""
    requires: re.Pattern[str] | None = None
    """An assignment that counts as an import if `require(` occurs in it."""


_PYTHON = _Shape(
    comment=re.compile(r"#"),
    imports=re.compile(r"(import|from)\s"),
    neutral=re.compile(r"__\w+__\s*(:[^=]*)?="),
    compound=re.compile(r"(try\s*:|if\s|with\s)"),
    clause=re.compile(r"(except\b|else\s*:|elif\s|finally\s*:)"),
    future=re.compile(r"from\s+__future__\s"),
)
_SCRIPT = _Shape(
    comment=re.compile(r"(//|#!)"),
    imports=re.compile(r"import\b(?!\s*[(.])|export\s.*\bfrom\s*['\"]"),
    neutral=re.compile(r"['\"]use \w+['\"]\s*;?\s*$"),
    requires=re.compile(r"(const|let|var)\s"),
)
_OTHER = _Shape(
    comment=re.compile(r"(//|#(?!\s*(include|import|pragma|ifn?def|define)\b)|--|;|\*)"),
    imports=re.compile(
        r"(#\s*(include|import)|import|from|using|use|require|require_relative|open|library)\b"
    ),
    neutral=re.compile(
        r"(package|module|namespace|extern|<\?php|#\s*(pragma|ifndef|ifdef|define)|['\"]use )"
    ),
)
_STRING = re.compile(r"""[rRuUbB]{0,2}(\"\"\"|'''|"|')""")
_QUOTED = re.compile(r"""("(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)""")


def import_block(lines: Sequence[str], language: str, limit: int | None = None) -> Range | None:
    """The lines (1-based, inclusive) from a file's first import to its last before other code starts; None
    without imports.

    `from __future__` imports at the start are left out: they are not edited for a missing name. `limit` keeps the
    statements at the top that fit into that many lines (a single longer one is cut). Raises: never.
    """
    return _scan(lines, language, limit)[0]


def import_point(lines: Sequence[str], language: str) -> int:
    """The line before which a first import goes: after the shebang, leading comments, the docstring and `from
    __future__` imports.
    """
    return _scan(lines, language, None)[1]


def _scan(lines: Sequence[str], language: str, limit: int | None) -> tuple[Range | None, int]:
    shape = _PYTHON if language == "python" else _SCRIPT if language in JAVASCRIPT else _OTHER
    first: int | None = None
    last = preamble = at = 0  # counts of lines: `last` and `preamble` end their parts
    fresh = True  # only comments so far
    while at < min(len(lines), SCAN_LINES):
        line = lines[at].removeprefix("\ufeff") if at == 0 else lines[at]
        stop = at + 1
        if not line.strip():
            if fresh and at and lines[at - 1].strip():
                preamble = at  # a comment paragraph of its own heads the file
        elif line.startswith("/*"):
            stop = _block_comment_end(lines, at)
        elif shape.comment.match(line):
            if fresh and (line.startswith("#!") or (at < 2 and "coding" in line)):
                preamble = stop
        elif shape is _PYTHON and _STRING.match(line):
            end = _string_end(lines, at, line)
            if end is None:
                break
            stop = end
            if fresh:
                preamble = stop
            fresh = False
        elif shape.future is not None and shape.future.match(line):
            stop = _statement_end(lines, at)
            preamble, fresh = stop, False
        else:
            fresh = False
            unit = _import_end(lines, at, line, shape)
            if unit is not None:
                start = at if first is None else first
                if limit is not None and unit - start > limit:
                    if first is None:
                        return (start + 1, start + limit) if limit > 0 else None, preamble + 1
                    break
                first, last, stop = start, unit, unit
            elif shape.neutral.match(line):
                stop = _statement_end(lines, at)
                if first is None and shape is not _PYTHON:
                    preamble = stop
            else:
                break
        at = stop
    if fresh:
        preamble = len(lines) if at >= len(lines) else preamble
    return (None if first is None else (first + 1, last)), preamble + 1


def _import_end(lines: Sequence[str], at: int, line: str, shape: _Shape) -> int | None:
    """The index after the import that starts at line index `at`, or None where none does."""
    if shape.imports.match(line):
        return _statement_end(lines, at)
    if shape.requires is not None and shape.requires.match(line):
        stop = _statement_end(lines, at)
        return stop if any("require(" in text for text in lines[at:stop]) else None
    if shape.compound is not None and shape.compound.match(line):
        return _compound_end(lines, at, shape)
    return None


def _compound_end(lines: Sequence[str], at: int, shape: _Shape) -> int | None:
    stop = _statement_end(lines, at)
    body = next((k for k in range(stop, min(len(lines), stop + STATEMENT_LINES)) if lines[k].strip()), None)
    if body is None or not lines[body][0].isspace() or not shape.imports.match(lines[body].lstrip()):
        return None
    for k in range(body, min(len(lines), body + STATEMENT_LINES)):
        line = lines[k]
        if not line.strip():
            continue
        inside = (
            line[0].isspace() or line[0] in ")]}" or (shape.clause is not None and shape.clause.match(line))
        )
        if not inside:
            break
        stop = k + 1
    return stop


def _statement_end(lines: Sequence[str], at: int) -> int:
    """The index after the statement at `at`: its brackets are closed, and its last line does not end in a backslash."""
    depth = 0
    for k in range(at, min(len(lines), at + STATEMENT_LINES)):
        text = _QUOTED.sub("", lines[k]).split("#")[0].split("//")[0]
        depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
        if depth <= 0 and not lines[k].rstrip().endswith("\\"):
            return k + 1
    return at + 1


def _block_comment_end(lines: Sequence[str], at: int) -> int:
    for k in range(at, min(len(lines), at + SCAN_LINES)):
        if "*/" in lines[k]:
            return k + 1
    return at + 1


def _string_end(lines: Sequence[str], at: int, line: str) -> int | None:
    """The index after the string statement at `at`, or None if it is not closed."""
    match = _STRING.match(line)
    quote = match.group(1) if match else ""
    if not match or len(quote) == 1:
        return at + 1
    if quote in line[match.end() :]:
        return at + 1
    for k in range(at + 1, min(len(lines), at + SCAN_LINES)):
        if quote in lines[k]:
            return k + 1
    return None
