"""A `with` block for what is opened and closed, or acquired and released."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    assigned,
    following,
    has_comment,
    movable,
    selected_statements,
    shifted,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.syntax.tree import identifiers, rows, text_of

_ASKING = frozenset({"with", "context", "manager", "block", "close", "closed"})
_CLOSING = frozenset({"closing", "contextlib", "finally"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _closed_at_last(context, arguments)
    for node in selected_statements(context, "expression_statement"):
        (first, last), text = rows(node), text_of(node)
        if arguments.words & _ASKING:
            yield from _rest_of_block(context, node)
        opened = re.fullmatch(r"([^\W\d]\w*) = ([\w.]*open\(.*\))", text)
        acquired = re.fullmatch(r"([\w.]+)\.acquire\(\)", text)
        if first != last or (opened is None and acquired is None):
            continue
        guarded = following(node)
        if acquired is not None and guarded is not None and guarded.type == "try_statement":
            yield from _guarded(context, node, guarded, acquired[1])
            continue
        end = f"{opened[1]}.close()" if opened is not None else f"{acquired[1] if acquired else ''}.release()"
        closing = _closing(node, end)
        body = context.view(first + 1, rows(closing)[0] - 1) if closing is not None else []
        if closing is None or not any(line.strip() for line in body) or not _movable(node, closing, body):
            continue
        head = (
            f"with {opened[2]} as {opened[1]}:"
            if opened is not None
            else f"with {acquired[1] if acquired else ''}:"
        )
        lines = [f"{context.indent(node)}{head}\n", *shifted(body, 4)]
        yield f"Use {head[:-1]}", replace_lines(first, rows(closing)[1], lines)


def _rest_of_block(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    """What nobody closes: open as long as it is read."""
    opened = re.fullmatch(r"([^\W\d]\w*) = ([\w.]+\(.*\))", text_of(node))
    last = node
    after = node.next_named_sibling
    while opened is not None and after is not None:
        if any(text_of(name) == opened[1] for name in identifiers(after)):
            last = after
        after = after.next_named_sibling
    (first, end), behind = rows(node), rows(last)[1]
    if opened is None or last == node or first != end or not context.shows(first, behind):
        return
    moved = reindented(context, end + 1, behind, 4)
    if moved is not None:
        head = f"with {opened[2]} as {opened[1]}"
        yield f"Use {head}", replace_lines(first, behind, [f"{context.indent(node)}{head}:\n", *moved])


def _closed_at_last(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """`try` and `finally` that closes something and does nothing else."""
    for block in (
        selected_statements(context, "try_statement") if arguments.words & _ASKING | _CLOSING else ()
    ):
        clauses = clauses_of(context, block)
        closed = (
            re.fullmatch(r"finally:\s+([\w.]+)\.close\(\)", text_of(clauses[-1].node)) if clauses else None
        )
        if len(clauses) != 2 or closed is None:
            continue
        body, indent = context.view(clauses[0].first, clauses[0].last), context.indent(block)
        name = (
            "closing" if re.search(r"import .*\bclosing\b", "".join(context.lines)) else "contextlib.closing"
        )
        title = f"Use with {name}({closed[1]}) instead of the try and finally"
        yield title, replace_lines(*rows(block), [f"{indent}with {name}({closed[1]}):\n", *body])
        above = block.prev_named_sibling
        found = assigned(above) if above is not None else None
        if (
            above is not None
            and found is not None
            and text_of(found[0]) == closed[1]
            and following(above) == block
        ):
            opened = text_of(found[1])
            if "\n" not in opened and not has_comment(context, *rows(above)) and context.has(above):
                for manager in (opened, f"{name}({opened})"):
                    lines = [f"{indent}with {manager} as {closed[1]}:\n", *body]
                    title = f"Use with {manager} as {closed[1]} instead of the try and finally"
                    yield title, replace_lines(rows(above)[0], rows(block)[1], lines)


def _movable(node: Node, closing: Node, body: list[str]) -> bool:
    between = node.next_named_sibling
    while between is not None and between != closing:
        if not movable(between, body, ""):
            return False
        between = between.next_named_sibling
    return True


def _closing(node: Node, text: str) -> Node | None:
    after = node.next_named_sibling
    while after is not None and text_of(after) != text:
        after = after.next_named_sibling
    return after


def _guarded(context: RefactoringContext, node: Node, block: Node, lock: str) -> Iterator[Proposal]:
    """`try` and `finally` with the release alone in it."""
    clauses = [n for n in block.named_children if n.type.endswith("clause")]
    if len(clauses) != 1 or text_of(clauses[0]).split() != ["finally:", f"{lock}.release()"]:
        return
    body = context.view(rows(block)[0] + 1, rows(clauses[0])[0] - 1)
    lines = [f"{context.indent(node)}with {lock}:\n", *body]
    yield f"Use with {lock}", replace_lines(rows(node)[0], rows(block)[1], lines)


USE_WITH = Refactoring("use_with", "refactor.rewrite.useWith", _propose, menu="cursor")
