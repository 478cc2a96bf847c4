"""Instructions about comments on lines of their own: one above a statement, none in a function."""

from __future__ import annotations

import ast
import re
import tokenize
from random import Random

from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import forward, functions, reverse, whole_lines

TRIES = 8
_PROSE = re.compile(r"# ([A-Z][^`#]{4,88})")
"""A comment that says something; those that tools read, rulers and code that was commented out mostly are no such."""


def comment(file: ParsedFile, rng: Random) -> Defect | None:
    """A comment of one line above a statement, with its words and the statement's line in the instruction."""
    found = file.cached("comment", lambda: _explained(file))
    if not found:
        return None
    function, k, text = rng.choice(found)
    what = file.line_text(k + 1).strip()
    asked = ask(rng, "comment", function=function.name, text=text, what=what)
    return reverse(file, function, [Edit(*whole_lines(file, k, k), "")], asked)


def _explained(file: ParsedFile) -> list[tuple[FunctionNode, int, str]]:
    """The function, the line and the text of each comment between code and a statement that no other line is like."""
    comments = set(file.cached("comment_lines", lambda: _comment_lines(file)))
    found: list[tuple[FunctionNode, int, str]] = []
    for function in functions(file):
        lines = [file.line_text(k).strip() for k in range(function.lineno, (function.end_lineno or 0) + 1)]
        for node in ast.walk(function):
            k = node.lineno - 1 if isinstance(node, ast.stmt) else 0
            if k not in comments or k <= function.lineno or {k - 1, k + 1} & comments:
                continue
            text, what = _PROSE.fullmatch(file.line_text(k).strip()), file.line_text(k + 1).strip()
            same = file.indent(node) == file.line_text(k)[: -len(file.line_text(k).lstrip())]
            if text is not None and same and lines.count(what) == 1 and len(what) < 70 and "`" not in what:
                found.append((function, k, text[1]))
    return found


def remove_comments(file: ParsedFile, rng: Random) -> Defect | None:
    """The comments on lines of their own, out of a function."""
    found = functions(file)
    comments = file.cached("comment_lines", lambda: _comment_lines(file))
    if not comments:
        return None
    for _ in range(min(TRIES, len(found))):
        function = rng.choice(found)
        inside = [k for k in comments if function.lineno < k <= (function.end_lineno or 0)]
        if not 1 <= len(inside) <= 8 or _trailing(file, function):
            continue
        edits = [Edit(*whole_lines(file, k, k), "") for k in inside]
        return forward(file, function, edits, ask(rng, "remove_comments", function=function.name))
    return None


def _comment_lines(file: ParsedFile) -> list[int]:
    return [
        file.line_at(t.start)
        for t in file.tokens
        if t.type == tokenize.COMMENT and not file.text[file.line_start(t.start) : t.start].strip()
    ]


def _trailing(file: ParsedFile, function: FunctionNode) -> bool:
    """Whether comments stand behind code."""
    source = file.source(function)
    return re.search(r"\S.*[^\S\n]#", source) is not None
