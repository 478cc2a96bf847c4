"""Instructions about lines as they stand: delete one, comment it out, copy it with another name, move it up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from random import Random

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import (
    dotted,
    follows,
    has_comment,
    heads,
    names_used,
    replaced,
    single,
    statements,
    stored,
)
from copydesk_training.defects.instructed.task import Task, tasks, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import whole_lines

LONGEST_QUOTE = 60
Line = tuple[FunctionNode, ast.stmt]


def _spare(file: ParsedFile) -> Iterator[Line]:
    """Statements of one line that a body can do without, said once in their function."""
    for function, node in statements(file, ast.Expr, ast.Assign, ast.AugAssign, ast.Delete):
        body = file.body_of(node) or []
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not single(node) or len(body) < 2 or docstring or node.lineno in file.string_lines:
            continue
        if isinstance(node, ast.Assign) and any(
            isinstance(n, ast.Name) for t in node.targets for n in _bound(t)
        ):
            continue
        if file.source(function).count(file.source(node)) == 1:
            yield function, node


def _bound(target: ast.expr) -> list[ast.expr]:
    """What an assignment binds: a name that goes is missed elsewhere."""
    return (
        [b for e in target.elts for b in _bound(e)] if isinstance(target, ast.Tuple | ast.List) else [target]
    )


def _named_call(node: ast.stmt) -> str | None:
    call = node.value if isinstance(node, ast.Expr) else None
    return dotted(call.func) if isinstance(call, ast.Call) else None


def _without(subject: str, file: ParsedFile, rng: Random, site: Line, edit: Edit) -> Task:
    """A task about one line: by its words, by the call in it, or by selecting it and nothing else."""
    function, node = site
    lines = node.lineno, node.lineno
    source, name = file.source(node), _named_call(node)
    if rng.random() < 0.2 or (name is None and len(source) > LONGEST_QUOTE):
        everything = frozenset(range(function.lineno, (function.end_lineno or 0) + 1)) - {node.lineno}
        return Task(f"{subject}_selected", function, lines, [edit], {}, False, everything)
    fields: dict[str, str] = {}
    if len(source) <= LONGEST_QUOTE:
        fields["what"] = source
    rivals: frozenset[int] = frozenset()
    if name is not None:
        fields["name"] = name
        rivals = heads(function, lambda n: isinstance(n, ast.Call) and dotted(n.func) == name)
        rivals -= {node.lineno}
    return Task(subject, function, lines, [edit], fields, False, rivals)


def _deleted(file: ParsedFile, rng: Random, site: Line) -> Task | None:
    line = site[1].lineno
    return _without("delete_line", file, rng, site, Edit(*whole_lines(file, line, line), ""))


def _commented(file: ParsedFile, rng: Random, site: Line) -> Task | None:
    at = file.start(site[1])
    return _without("comment_out", file, rng, site, Edit(at, at, "# "))


delete_line = varied("spare lines", _spare, _deleted)
comment_out = varied("spare lines", _spare, _commented)

# -- copies ----------------------------------------------------------------------------------------------------

_NAMES = (
    "extra", "backup", "other", "second", "alias", "fallback", "previous", "spare", "optional", "legacy",
    "internal", "external", "default", "custom", "main", "test", "debug", "final", "initial", "common",
)  # fmt: skip


def _copyable(file: ParsedFile) -> Iterator[tuple[FunctionNode | None, ast.AST, str]]:
    """Lines with a name or key that stands in them once: assignments, and entries of dicts and lists."""
    for function, node in statements(file, ast.Assign):
        target = node.targets[0]
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
        if single(node) and name is not None and len(node.targets) == 1 and len(file.source(node)) < 80:
            yield function, node, name
    for value in file.of(ast.Dict, ast.List, ast.Tuple):
        entries = value.keys if isinstance(value, ast.Dict) else value.elts
        for key in entries:
            if (
                not isinstance(key, ast.Constant)
                or not isinstance(key.value, str)
                or not key.value.isidentifier()
            ):
                continue
            line = file.line_text(key.lineno)
            own = (
                line.strip().startswith(file.source(key))
                and line.endswith(",")
                and key.lineno < (value.end_lineno or 0)
            )
            entry = value.values[entries.index(key)] if isinstance(value, ast.Dict) else key
            if own and entry.end_lineno == key.lineno and file.line_text(key.lineno + 1).strip():
                if file.text[file.end(entry) : file.line_end(file.end(entry))] == ",":
                    yield file.function_of(key), key, key.value


def _copied(file: ParsedFile, rng: Random, site: tuple[FunctionNode | None, ast.AST, str]) -> Task | None:
    function, node, old = site
    number = getattr(node, "lineno", 0)
    line = file.line_text(number)
    word = rng.choice(_NAMES)
    new = rng.choice((word, f"{old}_{word}", f"{word}_{old.strip('_')}", f"{old}2"))
    if len(re.findall(rf"(?<!\w){re.escape(old)}(?!\w)", line)) != 1 or new in file.words:
        return None
    copy = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, line)
    _, at = whole_lines(file, number, number)
    rivals: frozenset[int] = frozenset()
    if function is not None:
        first, last = function.lineno, function.end_lineno or 0
        rivals = frozenset(
            k
            for k in range(first, last + 1)
            if re.search(rf"(?<!\w){re.escape(old)}(?!\w)", file.line_text(k))
        )
    fields = {"old": old, "new": new}
    if len(line.strip()) <= LONGEST_QUOTE:
        fields["what"] = line.strip().rstrip(",")
    return Task(
        "duplicate_line",
        function,
        (number, number),
        [Edit(at, at, copy + "\n")],
        fields,
        False,
        rivals - {number},
    )


duplicate_line = varied("duplicate_line", _copyable, _copied)

# -- order -----------------------------------------------------------------------------------------------------


def _movable(file: ParsedFile) -> Iterator[Task]:
    """Two lines, one behind the other, that do not depend on each other."""
    for function, node in statements(file, ast.Assign):
        body = file.body_of(node) or []
        at = body.index(node) + 1 if node in body else 0
        below = body[at] if 0 < at < len(body) else None
        if not isinstance(below, ast.Assign | ast.AugAssign) or not follows(node, below):
            continue
        if (
            not single(node)
            or not single(below)
            or not file.alone(below)
            or has_comment(file, node.lineno, below.lineno)
        ):
            continue
        sources = file.source(node), file.source(below)
        opaque = any(
            isinstance(n, ast.Call | ast.Await | ast.Yield | ast.NamedExpr)
            for s in (node, below)
            for n in ast.walk(s)
        )
        written = _targets(node), _targets(below)
        apart = (
            not written[0] & _reads(below) and not written[1] & _reads(node) and not written[0] & written[1]
        )
        once = all(file.source(function).count(s) == 1 for s in sources)
        if opaque or not apart or not once or max(map(len, sources)) > LONGEST_QUOTE:
            continue
        lines = node.lineno, below.lineno
        new = [file.line_text(below.lineno), file.line_text(node.lineno)]
        fields = {"what": sources[1], "other": sources[0]}
        yield Task("move_line", function, lines, [replaced(file, *lines, new)], fields)


def _targets(node: ast.Assign | ast.AugAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {dotted(t) or "" for target in targets for t in ast.walk(target)} - {""} - {"self"} | stored(node)


def _reads(node: ast.stmt) -> set[str]:
    return {dotted(n) or "" for n in ast.walk(node)} - {"", "self"} | (names_used(node) - {"self"})


move_line = tasks("move_line", _movable)
