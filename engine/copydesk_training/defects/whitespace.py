"""White space where none belongs, blank lines too many or too few, and the end of the file."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from random import Random

from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile

TRIES = 10


def trailing_whitespace(file: ParsedFile, rng: Random) -> Defect | None:
    """Blanks at the end of a line."""
    for _ in range(TRIES):
        line = rng.randrange(1, len(file.starts) + 1)
        content = file.line_text(line)
        if (
            not content.strip()
            or content[-1].isspace()
            or content.endswith("\\")
            or line in file.string_lines
        ):
            continue
        end = file.line_end(file.starts[line - 1])
        broken = Broken(file, [Edit(end, end, rng.choice((" ", " ", "  ", "    ", "\t")))])
        return broken.defect(broken.diagnostic(rng, "trailing-whitespace", *broken.span()))
    return None


def blank_whitespace(file: ParsedFile, rng: Random) -> Defect | None:
    """A blank line that is not quite blank."""
    lines = file.cached("blank_whitespace", lambda: _blank_lines(file))
    if not lines:
        return None
    start = file.starts[rng.choice(lines) - 1]
    broken = Broken(file, [Edit(start, start, rng.choice(("    ", "    ", "        ", " ", "  ", "\t")))])
    return broken.defect(broken.diagnostic(rng, "blank-whitespace", *broken.span()))


def blank_lines(file: ParsedFile, rng: Random) -> Defect | None:
    """Too few or too many blank lines round definitions and statements."""
    gaps = file.cached("blank_lines", lambda: _gaps(file))
    if not gaps:
        return None
    first, count, line, subject = rng.choice(gaps)
    start, end = file.starts[first - 1], file.starts[line - 1]
    indent = len(file.line_text(line)) - len(file.line_text(line).lstrip())
    if count and rng.random() < 0.5 and subject != "blank-lines-many":
        left = rng.randrange(count) if subject != "blank-line-one" else 0
        broken = Broken(file, [Edit(start, end, "\n" * left)])
        fields: dict[str, object] = {"found": left, "wanted": 2, "code": "E302"}
    else:
        most = 2 if indent == 0 else 1
        total = rng.randrange(most + 1, most + 4)
        broken = Broken(file, [Edit(start, end, "\n" * total)])
        subject, fields = "blank-lines-many", {"found": total}
    at = broken.span()[1] + indent
    word = re.compile(r"\w+|\S").match(broken.text, at)
    return broken.defect(broken.diagnostic(rng, subject, at, word.end() if word else at, fields))


def end_of_file(file: ParsedFile, rng: Random) -> Defect | None:
    """No newline at the end, or blank lines there."""
    text = file.text
    if not text.endswith("\n") or len(text) < 2 or text[-2].isspace():
        return None
    end = len(text)
    if rng.random() < 0.6:
        broken = Broken(file, [Edit(end - 1, end, "")])
        return broken.defect(broken.diagnostic(rng, "missing-newline", end - 1, end - 1))
    broken = Broken(file, [Edit(end, end, "\n" * rng.randrange(1, 4))])
    return broken.defect(broken.diagnostic(rng, "newlines-at-end", *broken.span()))


# -- places ------------------------------------------------------------------------------------------------


def _blank_lines(file: ParsedFile) -> list[int]:
    return [
        line
        for line in range(1, len(file.starts))
        if file.starts[line] - file.starts[line - 1] == 1 and line not in file.string_lines
    ]


def _gaps(file: ParsedFile) -> list[tuple[int, int, int, str]]:
    """The blank lines above statements: their first line, how many, the line below them, and what a missing
    one is called.
    """
    found: list[tuple[int, int, int, str]] = []
    for outer in file.nodes:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(outer, field, None)
            if not isinstance(body, list):
                continue
            for above, below in pairwise(body):
                line = min([below.lineno, *(d.lineno for d in getattr(below, "decorator_list", ()))])
                first = line
                while first > 1 and not file.line_text(first - 1).strip():
                    first -= 1
                if first - 1 != above.end_lineno or ";" in file.line_text(first - 1):
                    continue
                definition = isinstance(below, FunctionNode | ast.ClassDef)
                after = isinstance(above, FunctionNode | ast.ClassDef)
                top = isinstance(outer, ast.Module)
                if top and (definition or after) and line - first == 2:
                    subject = "blank-lines-few" if definition else "blank-lines-after"
                elif isinstance(outer, ast.ClassDef) and definition and after and line - first == 1:
                    subject = "blank-line-one"
                elif not definition and line - first <= 1:
                    subject = "blank-lines-many"
                else:
                    continue
                found.append((first, line - first, line, subject))
    return found
