"""No prints."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of


def remove_prints(context: RefactoringContext) -> Edits | None:
    """None where one of them stands beside other code; a block that they leave empty gets a `pass`."""
    prints = list(filter(_is_print, context.walk("expression_statement")))
    gone = {(start_of(node), end_of(node)) for node in prints}
    found: list[Edits] = []
    for node in prints:
        first, last = rows(node)
        before, behind = context.split(start_of(node))[0], context.split(end_of(node))[1]
        if before.strip() or (behind.strip() and not behind.lstrip().startswith("#")):
            return None
        block = node.parent
        others = [n for n in block.named_children if n.type != "comment"] if block is not None else []
        empty = block is not None and block.type == "block"
        empty = empty and all((start_of(n), end_of(n)) in gone for n in others)
        end = "\n" if behind.endswith("\n") else ""
        found.append(
            replace_lines(first, last, [f"{before}pass{end}"] if empty and node == others[0] else [])
        )
    return merged(*found)


def _is_print(node: Node) -> bool:
    if node.named_child_count != 1:
        return False
    call = node.named_children[0]
    called = call.child_by_field_name("function") if call.type == "call" else None
    return called is not None and called.type == "identifier" and text_of(called) == "print"


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    yield "Remove debug prints", remove_prints(context)


REMOVE_PRINTS = Refactoring("remove_prints", "refactor.rewrite.removePrints", _propose, menu="cursor")
