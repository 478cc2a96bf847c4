"""Statements deleted: one, a run of them, all of a kind; and blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import JUMPS, comments_above, named, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, merged, replace_lines
from copydesk.syntax.tree import rows, text_of

_AT_END = frozenset({"end", "last", "closing", "trailing", "bottom", "final"})
"""Words of an instruction about the end of a docstring."""
_ALL = frozenset({"last", "all", "every", "rest", "remaining", "others"})
"""Words of an instruction that wants a loop to go on."""


def _statements(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    groups: dict[str, list[Edits]] = {}
    for node in plain_statements(context):
        (first, last), what = rows(node), "the docstring" if is_text(node) else named(node)
        start, siblings = comments_above(context, first), statements_of(node.parent)
        if node.type == "break_statement" and arguments.words & _ALL:
            wins = "the last one wins" if "last" in arguments.words else "all of them, not only the first"
            yield f"Delete break, go on with the rest, {wins}", delete_lines(first, last)
        yield f"Delete {what}", delete_lines(first, last)
        if start < first:
            yield f"Delete {what} with its comment", delete_lines(start, last)
        if siblings == [node]:
            line = f"{context.indent(node)}pass\n"
            yield f"Replace {what} by pass", replace_lines(first, last, [line])
            continue
        if node.type in JUMPS and node != siblings[-1]:
            yield f"Delete the dead code after {what}", delete_lines(last + 1, rows(siblings[-1])[1])
        below = siblings[siblings.index(node) + 1 :]
        for end in below[:2] if not is_text(node) else ():
            yield f"Delete {what} up to {named(end)}", delete_lines(start, rows(end)[1])
        word = re.split(r"[(\s]", text_of(node), maxsplit=1)[0]
        groups.setdefault(word, []).append(delete_lines(first, last))
    for word, edits in groups.items():
        if len(edits) > 1 and any(part in arguments.words for part in re.split(r"\W+", word.lower()) if part):
            yield f"Delete all {word}", merged(*edits)


def _closes(context: RefactoringContext, number: int) -> bool:
    """Whether nothing but the closing quotes of a text is in a line."""
    return context.lines[number - 1].strip() in ('"""', "'''")


def _blank_lines(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & {"blank", "empty", "line", "lines", "newline"}:
        return
    numbers = [number for number in context.numbers() if not context.lines[number - 1].strip()]
    closing = [
        number for number in numbers if context.lines[number : number + 1] and _closes(context, number + 1)
    ]
    for number in closing:
        title = "Remove the blank line at the end of the docstring, the last one, before the closing quotes"
        yield title, delete_lines(number, number)
    if closing and arguments.words & _AT_END:
        return
    for number in [number for number in numbers if number not in closing]:
        below = context.view(number + 1, number + 1)[0].strip() if number < len(context.lines) else ""
        yield f"Remove the blank line above {below[:40]}", delete_lines(number, number)
    if len(numbers) > 1:
        yield "Remove all blank lines", merged(*(delete_lines(number, number) for number in numbers))


DELETE_STATEMENT = Refactoring(
    "delete_statement", "refactor.rewrite.deleteStatement", _statements, everywhere=True
)
REMOVE_BLANK_LINES = Refactoring("remove_blank_lines", "refactor.rewrite.removeBlankLines", _blank_lines)
