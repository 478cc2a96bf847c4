"""Parts of a path put together by `+`, with a slash in the texts: `os.path.join`, or `/` of a `Path`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.expressions import (
    ATOMS,
    bare,
    children_of,
    is_value,
    replace_expression,
    single_line,
)
from copydesk.syntax.tree import text_of

_TEXT = re.compile(r"([\"'])([\w./ -]*)\1")
_SEPARATORS = ("os.sep", "os.path.sep")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    join = "os.path.join" if context.knows("os") else "path.join" if context.knows("path.join") else None
    for node in context.walk("binary_operator"):
        above = node.parent
        inner = above is not None and above.type == "binary_operator"
        if not is_value(node) or not single_line(node) or inner:
            continue
        parts = _parts(_summands(node))
        if parts is None:
            continue
        if join is not None:
            made = f"{join}({', '.join(parts)})"
            yield f"Use os.path.join: {made}", replace_expression(context, node, made)
        if arguments.words & {"path", "pathlib", "/"}:
            made = " / ".join([f"Path({parts[0]})", *parts[1:]])
            yield f"Use pathlib: {made}", replace_expression(context, node, made)


def _summands(node: Node) -> list[Node]:
    """What is added, from the left."""
    sign = node.child_by_field_name("operator")
    if node.type != "binary_operator" or sign is None or text_of(sign) != "+":
        return [node]
    left, right = children_of(node)
    return [*_summands(bare(left)), bare(right)]


def _parts(summands: list[Node]) -> list[str] | None:
    """The parts of a path; None where these are no names and texts that a slash stands between each time."""
    parts: list[str] = []
    apart = True  # whether a slash stands before what comes next
    for node in summands:
        text = text_of(node)
        found = _TEXT.fullmatch(text)
        if text in _SEPARATORS or (found is not None and found[2] == "/"):
            if apart:
                return None
            apart = True
            continue
        inner = found[2] if found is not None else ""
        if found is None and node.type not in ATOMS:
            return None
        if not apart and not inner.startswith("/"):
            return None
        if inner.startswith("/") and (apart or not parts):
            return None
        apart = inner.endswith("/")
        parts.append(f"{found[1]}{inner.strip('/')}{found[1]}" if found is not None else text)
    return parts if len(parts) > 1 and not apart else None


JOINED_PATH = Refactoring("joined_path", "refactor.rewrite.joinedPath", _propose, everywhere=True)
