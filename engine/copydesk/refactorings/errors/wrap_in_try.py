"""Statements in a `try` block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import BLOCKS, movable, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines
from copydesk.request import Range
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import rows, text_of

ACTIONS = ("pass", "return", "return None", "return False", "continue", "raise")


def wrap_in_try(what: str | None, error: str, action: str, context: RefactoringContext) -> Edits | None:
    """what: the one statement it is; None for the selection, which has to be whole statements."""
    if what is None:
        return wrap_lines(context.scope[0], error, action, context) if len(context.scope) == 1 else None
    found = [n for n in context.walk() if n.type.endswith("statement") and text_of(n) == what]
    return wrap_lines(rows(found[0]), error, action, context) if len(found) == 1 else None


def wrap_lines(lines: Range, error: str, action: str, context: RefactoringContext) -> Edits | None:
    """Lines that are whole statements; None for an action that cannot stand there."""
    first, last = lines
    statements = _statements(context, first, last)
    shown = context.view(first, last)
    if not statements or not shown[-1].endswith("\n") or not movable(statements[0].parent, shown, ""):
        return None
    indent = context.split(start_of(statements[0]))[0]
    if indent.strip() or not _may(action, statements[0]):
        return None
    moved = [f"    {line}" if line.strip() else line for line in shown]
    made = [f"{indent}try:\n", *moved, f"{indent}except {error}:\n", f"{indent}    {action}\n"]
    return replace_lines(first, last, made)


def _statements(context: RefactoringContext, first: int, last: int) -> Sequence[Node]:
    """The statements of one block that are lines `first` to `last`, and nothing else; none where there are no such."""
    inside = [n for n in context.walk() if rows(n)[0] == first and n.parent is not None]
    top = next((n for n in inside if n.parent is not None and n.parent.type in BLOCKS), None)
    if top is None or top.parent is None:
        return []
    found = [n for n in top.parent.named_children if first <= rows(n)[0] and rows(n)[1] <= last]
    whole = found and rows(found[-1])[1] == last and not context.split(end_of(found[-1]))[1].strip()
    return found if whole else []


def _may(action: str, node: Node) -> bool:
    """Whether a statement can stand where `node` does: `continue` needs a loop, `return` a function."""
    wanted = {"continue": ("for_statement", "while_statement"), "return": ("function_definition",)}.get(
        action.split()[0], ()
    )
    above = node.parent
    while wanted and above is not None and above.type not in wanted:
        above = above.parent if above.type not in ("function_definition", "class_definition") else None
    return above is not None


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places: dict[Range, str] = {}
    if len(context.scope) == 1:
        places[context.scope[0]] = "the selection"
    for node in selected_statements(context):
        if arguments.mentions(text_of(node)):
            places[rows(node)] = text_of(node)
    for error in arguments.exceptions:
        for place, what in places.items():
            for action in ACTIONS:
                title = f"Wrap {what} in try/except {error}: {action}"
                yield title, wrap_lines(place, error, action, context)


WRAP_IN_TRY = Refactoring("wrap_in_try", "refactor.surround.try", _propose)
