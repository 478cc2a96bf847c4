"""Lines that stand too far left or right."""

from __future__ import annotations

import ast
from random import Random

from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.parsing import Finding, syntax_defect, token_behind

_AFTER = {
    ast.If: "`if` statement",
    ast.For: "`for` statement",
    ast.AsyncFor: "`for` statement",
    ast.While: "`while` statement",
    ast.With: "`with` statement",
    ast.AsyncWith: "`with` statement",
    ast.FunctionDef: "function definition",
    ast.AsyncFunctionDef: "function definition",
    ast.ClassDef: "`class` definition",
    ast.Try: "`try` statement",
    ast.ExceptHandler: "`except` clause",
}


def unexpected_indent(file: ParsedFile, rng: Random) -> Defect | None:
    """A statement deeper than the one before it."""
    nodes = _later(file)
    if not nodes:
        return None
    node = rng.choice(nodes)
    start = file.line_start(file.start(node))
    more = rng.choice((1, 2, 3, 4, 4, 4))
    broken = Broken(file, [Edit(start, start, " " * more)])
    width = file.start(node) - start + more
    said = Finding("Unexpected indentation", start, start + width)
    return syntax_defect(broken, rng, start, ruff=said, pyright=said)


def unindent_mismatch(file: ParsedFile, rng: Random) -> Defect | None:
    """A statement that is less deep than the one before it, at a depth nobody has."""
    nodes = _later(file)
    if not nodes:
        return None
    node = rng.choice(nodes)
    start = file.line_start(file.start(node))
    width = file.start(node) - start
    if width < 4:
        return None
    less = rng.choice((1, 1, 2, 3))
    broken = Broken(file, [Edit(start, start + less, "")])
    depth = start + width - less
    return syntax_defect(
        broken,
        rng,
        start,
        ruff=Finding("unindent does not match any outer indentation level", start, depth),
        pyright=Finding("Unindent amount does not match previous indent", depth, depth),
    )


def missing_indent(file: ParsedFile, rng: Random) -> Defect | None:
    """The one statement of a body, or its first, not indented."""
    firsts = file.cached("indent_first", lambda: [node for node, first in _single(file) if first])
    if not firsts:
        return None
    node = rng.choice(firsts)
    outer = file.parent(node)
    body = file.body_of(node)
    if outer is None or body is None:
        return None
    start = file.line_start(file.start(node))
    width = file.start(node) - start
    back = width - getattr(outer, "col_offset", 0)
    if not 0 < back <= width:
        return None
    edits = [Edit(start, start + back, "")]
    if len(body) == 2 and rng.random() < 0.5 and file.alone(body[1]) and body[1].lineno == body[1].end_lineno:
        other = file.line_start(file.start(body[1]))
        edits.append(Edit(other, other + back, ""))
    broken = Broken(file, edits)
    behind = token_behind(broken.text, start)
    place = behind[1:] if behind is not None else (start, start + 1)
    after = _AFTER.get(type(outer), "statement")
    if isinstance(outer, ast.If | ast.For | ast.While | ast.Try) and body is not outer.body:
        after = "`finally` clause" if body is getattr(outer, "finalbody", None) else "`else` clause"
    return syntax_defect(
        broken,
        rng,
        start,
        ruff=Finding(f"Expected an indented block after {after}", *place),
        pyright=Finding("Expected indented block", *place),
    )


def _later(file: ParsedFile) -> list[ast.stmt]:
    """Statements of one line that do not open their block."""
    return file.cached("indent_later", lambda: [n for n, first in _single(file) if not first])


def _single(file: ParsedFile) -> list[tuple[ast.stmt, bool]]:
    """Statements of one line inside blocks, and whether each opens its block."""
    found: list[tuple[ast.stmt, bool]] = []
    for outer in file.nodes:
        if isinstance(outer, ast.Module):
            continue
        for field in ("body", "orelse", "finalbody"):
            body = getattr(outer, field, None)
            if not isinstance(body, list):
                continue
            for k, node in enumerate(body):
                single = isinstance(node, ast.stmt) and node.lineno == node.end_lineno
                if single and file.alone(node) and "\t" not in file.indent(node):
                    found.append((node, k == 0 and node.lineno > getattr(outer, "lineno", 0)))
    return found
