"""`next` for a loop that returns its first entry, whatever that is."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of, has_comment, next_statement, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines
from copydesk.refactorings.expressions import single_line
from copydesk.refactorings.loops.loop_head import plain_head
from copydesk.syntax.tree import rows, text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in plain_statements(context, "for_statement"):
        parts, body = plain_head(loop), statements_of(loop.child_by_field_name("body"))
        if parts is None or len(body) != 1 or text_of(body[0]) != f"return {parts[0]}":
            continue
        behind = _behind(loop)
        answer = "None" if behind is None else text_of(behind).removeprefix("return").strip() or "None"
        if (behind is not None and behind.type != "return_statement") or has_comment(context, *rows(loop)):
            continue
        if behind is not None and not single_line(behind):
            continue
        over = parts[1] if parts[1].startswith("iter(") else f"iter({parts[1]})"
        made = f"next({over}, {answer})"
        line = replace_lines(*rows(loop), [f"{context.indent(loop)}return {made}\n"])
        gone = behind is not None and behind.parent == loop.parent and context.has(behind)
        edits = merged(line, delete_lines(*rows(behind))) if gone and behind is not None else line
        yield f"Return the first one without the loop: {made}", edits


def _behind(loop: Node) -> Node | None:
    """What is done next where a loop has not left: a statement of its block, or behind the one that it ends."""
    node, function = loop, function_of(loop)
    while node.parent is not None and node != function:
        if node.type in ("for_statement", "while_statement") and node != loop:
            return node
        other = next((one for one in node.parent.children if one.type == "else_clause"), None)
        if other is not None and node.parent.type == "try_statement" and node.type == "block":
            return other
        after = next_statement(node) if node.parent.type == "block" else None
        if after is not None:
            return after
        node = node.parent
    return None


FIRST_ENTRY = Refactoring("first_entry", "refactor.rewrite.firstEntry", _propose)
