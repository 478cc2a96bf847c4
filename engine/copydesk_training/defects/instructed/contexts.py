"""Instructions about resources: a with-block for what is opened and closed, or acquired and released."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from copydesk_training.defects.instructed.places import (
    ends_line,
    headed,
    heads,
    lines_of,
    replaced,
    statements,
)
from copydesk_training.defects.instructed.task import Task, tasks
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.revision import indented, movable

_LOCK = re.compile(r"lock|mutex|cond|semaphore", re.IGNORECASE)
_LEAVING = ast.Return | ast.Yield | ast.YieldFrom | ast.Break | ast.Continue
LONGEST = 24


def _opens(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == "open"


def _blocks(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.With):
        item = node.items[0]
        lines = node.lineno, node.end_lineno
        short = lines[1] - lines[0] <= LONGEST and movable(file, *lines)
        if len(node.items) != 1 or not headed(file, node) or not short:
            continue
        indent, what = file.indent(node), file.source(item.context_expr)
        body = lines_of(file, lines[0] + 1, lines[1])
        if _opens(item.context_expr) and isinstance(item.optional_vars, ast.Name):
            name = item.optional_vars.id
            if any(isinstance(n, _LEAVING) for n in ast.walk(node)) or f"{name}.close" in file.source(node):
                continue
            new = [f"{indent}{name} = {what}", *indented(body, -4), f"{indent}{name}.close()"]
            rivals = heads(function, _opens) - {node.lineno}
            yield Task(
                "with_open",
                function,
                lines,
                [replaced(file, *lines, new)],
                {"name": name, "call": what},
                True,
                rivals,
            )
        elif _is_lock(file, item.context_expr) and item.optional_vars is None:
            rivals = heads(
                function, lambda n: isinstance(n, ast.With) and _is_lock(file, n.items[0].context_expr), node
            )
            fields = {"name": what}
            guarded = [
                f"{indent}{what}.acquire()",
                f"{indent}try:",
                *body,
                f"{indent}finally:",
                f"{indent}    {what}.release()",
            ]
            yield Task("with_lock", function, lines, [replaced(file, *lines, guarded)], fields, True, rivals)
            if not any(isinstance(n, _LEAVING | ast.Raise) for n in ast.walk(node)):
                plain = [f"{indent}{what}.acquire()", *indented(body, -4), f"{indent}{what}.release()"]
                yield Task(
                    "with_lock", function, lines, [replaced(file, *lines, plain)], fields, True, rivals
                )


def _is_lock(file: ParsedFile, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name | ast.Attribute):
        return False
    return _LOCK.search(
        node.attr if isinstance(node, ast.Attribute) else node.id
    ) is not None and "\n" not in file.source(node)


def _unclosed(file: ParsedFile) -> Iterator[Task]:
    """`f = open(…)` and `f.close()` in the same body."""
    for function, node in statements(file, ast.Assign):
        siblings = file.body_of(node) or []
        target = node.targets[0]
        if (
            not _opens(node.value)
            or not isinstance(target, ast.Name)
            or len(node.targets) != 1
            or node not in siblings
        ):
            continue
        behind = siblings[siblings.index(node) + 1 :]
        closing = next((s for s in behind if file.source(s) == f"{target.id}.close()"), None)
        if (
            closing is None
            or node.lineno != node.end_lineno
            or not file.alone(closing)
            or not ends_line(file, closing)
        ):
            continue
        inside = behind[: behind.index(closing)]
        lines = node.lineno, closing.lineno
        leaving = any(isinstance(n, _LEAVING) for s in inside for n in ast.walk(s))
        again = any(
            isinstance(n, ast.Name) and n.id == target.id
            for s in behind[len(inside) + 1 :]
            for n in ast.walk(s)
        )
        if not inside or leaving or again or not movable(file, *lines) or lines[1] - lines[0] > LONGEST:
            continue
        indent, what = file.indent(node), file.source(node.value)
        new = [
            f"{indent}with {what} as {target.id}:",
            *indented(lines_of(file, lines[0] + 1, lines[1] - 1), 4),
        ]
        if not file.line_text(lines[1] - 1).strip() or not file.line_text(lines[0] + 1).strip():
            continue
        rivals = heads(function, _opens) - {node.lineno}
        yield Task(
            "with_open",
            function,
            lines,
            [replaced(file, *lines, new)],
            {"name": target.id, "call": what},
            False,
            rivals,
        )


def _with_blocks(file: ParsedFile) -> Iterator[Task]:
    yield from _blocks(file)
    yield from _unclosed(file)


with_block = tasks("with_block", _with_blocks)
