"""One more entry of a list, tuple, set or dict, or one more argument of a call."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at, insert_lines
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of

_COLLECTIONS = ("list", "tuple", "set", "dictionary")


def add_entry(node: Node, entry: str, context: RefactoringContext) -> Edits | None:
    """Behind the last one: in the same line, or in one of its own as that has."""
    entries = [child for child in node.named_children if child.type != "comment"]
    if not entries or any(text_of(child) == entry for child in entries):
        return None
    last = entries[-1]
    behind = context.split(end_of(last))[1]
    if context.starts_line(last) and behind.strip() == ",":
        return insert_lines(last.end_point[0] + 2, [f"{context.indent(last)}{entry},\n"])
    return insert_at(context.lines, end_of(last), f", {entry}")


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.starting("call"):
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or given.type != "argument_list":
            continue
        for entry in arguments.assignments:
            yield f"Pass {entry} to {text_of(called)}", add_entry(given, entry, context)
    for node in context.starting(*_COLLECTIONS):
        if node.end_point[0] == node.start_point[0] or context.has(node):
            known = arguments.pairs if node.type == "dictionary" else arguments.values
            for entry in known:
                if node.type == "dictionary" or context.knows(entry):
                    yield f"Add {entry} to {_name_of(node)}", add_entry(node, entry, context)


def _name_of(node: Node) -> str:
    left = node.parent.child_by_field_name("left") if node.parent is not None else None
    return text_of(left) if left is not None else f"the {node.type}"


ADD_ENTRY = Refactoring("add_entry", "refactor.rewrite.addEntry", _propose)
