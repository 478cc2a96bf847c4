"""The strings of a list, tuple or set in the order of the alphabet."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_nodes
from copydesk.syntax.tree import text_of


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("list", "tuple", "set", "expression_list"):
        entries = node.named_children
        texts = [text_of(entry) for entry in entries]
        ordered = sorted(texts, key=lambda text: text.strip("\"'"))
        if len(entries) < 2 or any(entry.type != "string" for entry in entries) or texts == ordered:
            continue
        left = node.parent.child_by_field_name("left") if node.parent is not None else None
        name = text_of(left) if left is not None else "the entries"
        moved = [
            (entry, text) for entry, text in zip(entries, ordered, strict=True) if text_of(entry) != text
        ]
        yield f"Sort {name}", replace_nodes(context.lines, moved)


SORT_ENTRIES = Refactoring("sort_entries", "refactor.rewrite.sortEntries", _propose, menu="cursor")
