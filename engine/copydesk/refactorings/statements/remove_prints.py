"""No prints."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import stands_alone, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of


def remove_prints(context: RefactoringContext) -> Edits | None:
    """None where one of them stands beside other code. An `if` that they leave empty goes with them where its test calls nothing;
    another block gets a `pass`.
    """
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
        if empty and block is not None and (whole := _only_for(context, block)) is not None:
            if node == others[0]:
                found.append(delete_lines(*rows(whole)))
            continue
        found.append(
            replace_lines(first, last, [f"{before}pass{end}"] if empty and node == others[0] else [])
        )
    return merged(*found)


def _only_for(context: RefactoringContext, block: Node) -> Node | None:
    """The `if` that does nothing but what is in a block, and whose test has no effect; None where it stays."""
    whole = block.parent
    test = whole.child_by_field_name("condition") if whole is not None else None
    if whole is None or test is None or whole.type != "if_statement" or not stands_alone(context, whole):
        return None
    branches = [n for n in whole.named_children if n.type.endswith("_clause") or n.type == "comment"]
    comments = [n for n in block.named_children if n.type == "comment"]
    active = any(text in text_of(test) for text in ("(", ":=", "await "))
    alone = len(statements_of(whole.parent)) < 2
    return None if branches or comments or active or alone else whole


def _is_print(node: Node) -> bool:
    if node.named_child_count != 1:
        return False
    call = node.named_children[0]
    called = call.child_by_field_name("function") if call.type == "call" else None
    return called is not None and called.type == "identifier" and text_of(called) == "print"


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    yield "Remove debug prints", remove_prints(context)


REMOVE_PRINTS = Refactoring("remove_prints", "refactor.rewrite.removePrints", _propose, menu="cursor")
