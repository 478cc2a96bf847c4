"""A variable's value wherever it is used, and no variable."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of, is_stored, stands_alone, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines, replace_nodes
from copydesk.syntax.tree import identifiers, is_label, rows, text_of

_WHOLE = (
    "identifier", "attribute", "call", "subscript", "integer", "float", "string", "true", "false", "none", "list",
    "dictionary", "set", "tuple", "parenthesized_expression", "list_comprehension", "set_comprehension",
    "dictionary_comprehension",
)  # fmt: skip
_MOST_USES = 12


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for assignment in context.walk("assignment"):
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        statement = assignment.parent
        if left is None or right is None or statement is None or not stands_alone(context, statement):
            continue
        yield from _returned(context, statement, left, right)
        if left.type != "identifier":
            continue
        yield from _into_next(context, statement, left, right)
        name, value = text_of(left), in_one_line(right)
        scope = function_of(assignment)
        if value is None or scope is None:
            continue
        names = [n for n in identifiers(scope) if text_of(n) == name and not is_label(n) and n != left]
        uses = [n for n in names if n.start_byte > right.end_byte and not is_stored(n)]
        if len(uses) != len(names) or not 0 < len(uses) <= _MOST_USES:
            continue
        values = [value] if right.type in _WHOLE else [f"({value})", value]
        for text in values:
            yield (
                f'Inline variable "{name}" everywhere',
                merged(
                    delete_lines(*rows(statement)),
                    replace_nodes(context.lines, [(use, text) for use in uses]),
                ),
            )
        last = uses[-1]
        yield f'Inline variable "{name}" once, keep it', replace_nodes(context.lines, [(last, values[0])])


def _into_next(context: RefactoringContext, statement: Node, left: Node, right: Node) -> Iterator[Proposal]:
    """A value that the next statement takes once, and gives the name another one."""
    siblings = statements_of(statement.parent)
    at = siblings.index(statement) if statement in siblings else -1
    behind = siblings[at + 1] if 0 <= at < len(siblings) - 1 else None
    name, value = text_of(left), in_one_line(right)
    if behind is None or value is None or not text_of(behind).startswith(f"{name} = "):
        return
    uses = [n for n in identifiers(behind) if text_of(n) == name and not is_label(n) and not is_stored(n)]
    if len(uses) == 1:
        text = value if right.type in _WHOLE else f"({value})"
        yield (
            f"Combine both statements that assign {name}",
            merged(delete_lines(*rows(statement)), replace_nodes(context.lines, [(uses[0], text)])),
        )


def _returned(context: RefactoringContext, statement: Node, left: Node, right: Node) -> Iterator[Proposal]:
    """A value that is returned at once, by whatever names it has."""
    siblings = statements_of(statement.parent)
    at = siblings.index(statement) if statement in siblings else -1
    behind = siblings[at + 1] if 0 <= at < len(siblings) - 1 else None
    if behind is None or behind.type != "return_statement" or behind.named_child_count != 1:
        return
    if text_of(behind.named_children[0]) == text_of(left) and right.type != "assignment":
        lines = [f"{line}\n" for line in text_of(right).split("\n")]
        lines[0] = f"{context.indent(statement)}return {lines[0]}"
        yield (
            f"Return the value directly, {text_of(left)} is not needed",
            replace_lines(rows(statement)[0], rows(behind)[1], lines),
        )
    if text_of(behind.named_children[0]) == text_of(left) and right.type == "assignment":
        target = right.child_by_field_name("left")
        text = in_one_line(right)
        if target is not None and text is not None:
            indent = context.indent(statement)
            lines = [f"{indent}{text}\n", f"{indent}return {text_of(target)}\n"]
            yield (
                f"{text_of(left)} is not needed, return {text_of(target)}",
                replace_lines(rows(statement)[0], rows(behind)[1], lines),
            )


INLINE_VALUE = Refactoring("inline_value", "refactor.inline.value", _propose)
