"""The same call in statements in a row, with one argument another each time: a loop over these."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import following, has_comment, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import positional, single_line
from copydesk.refactorings.new_names import free_name, new_names
from copydesk.syntax.tree import rows, text_of

_LONG = 100
"""Columns. A longer head is written with an entry a line."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    seen: set[int] = set()
    for statement in selected_statements(context, "expression_statement"):
        group = _alike(context, statement)
        if statement.id in seen or len(group) < 2:
            continue
        seen |= {each.id for each in group}
        differing = _differing(group)
        if differing is None or has_comment(context, rows(group[0])[0], rows(group[-1])[1]):
            continue
        for name in _names(context, arguments, _called(group[0]), differing):
            lines = _loop(context.indent(statement), name, group[0], differing)
            title = f"Loop over the {len(group)} values, for {name} in (…), one call of {_called(group[0])}"
            yield title, replace_lines(rows(group[0])[0], rows(group[-1])[1], lines)


def _alike(context: RefactoringContext, statement: Node) -> list[Node]:
    """The selected statements from this one on that call the same with as many arguments."""
    group: list[Node] = []
    each: Node | None = statement
    while each is not None and context.has(each) and _called(each) == _called(statement) != "":
        group.append(each)
        each = following(each)
    return group


def _called(statement: Node) -> str:
    """What a statement of one line calls; empty for any other."""
    call = statement.named_children[0] if statement.named_child_count == 1 else None
    if call is None or call.type != "call" or not single_line(statement):
        return ""
    function = call.child_by_field_name("function")
    return text_of(function) if function is not None else ""


def _differing(group: Sequence[Node]) -> list[Node] | None:
    """The arguments in the one place where the calls differ; None where they differ in none or in several."""
    given = [positional(each.named_children[0]) for each in group]
    if any(one is None or not one for one in given) or len({len(one or ()) for one in given}) != 1:
        return None
    columns = [list(column) for column in zip(*(one for one in given if one is not None), strict=True)]
    found = [column for column in columns if len({text_of(node) for node in column}) > 1]
    return found[0] if len(found) == 1 and _same_elsewhere(group, found[0]) else None


def _same_elsewhere(group: Sequence[Node], differing: Sequence[Node]) -> bool:
    around = {"\0".join(_around(each, node)) for each, node in zip(group, differing, strict=True)}
    return len(around) == 1


def _around(statement: Node, node: Node) -> tuple[str, str]:
    """The text of a statement before and behind a part of it."""
    raw, start = text_of(statement).encode(), statement.start_byte
    return raw[: node.start_byte - start].decode(), raw[node.end_byte - start :].decode()


def _names(
    context: RefactoringContext, arguments: Arguments, called: str, values: Sequence[Node]
) -> list[str]:
    """Names for the loop's variable: the one that the instruction gives, or one that goes with the values."""
    named = [name for name in new_names(context, arguments) if name not in called.split(".")][:1]
    texts = all(value.type == "string" for value in values)
    usual = "name" if texts else "number" if all(value.type == "integer" for value in values) else "item"
    return [name for name in [*named, free_name(usual, context.names())][:2] if not keyword.iskeyword(name)]


def _loop(indent: str, name: str, statement: Node, values: Sequence[Node]) -> list[str]:
    before, behind = _around(statement, values[0])
    entries = [text_of(value) for value in values]
    head = f"{indent}for {name} in ({', '.join(entries)}):\n"
    lines = [head]
    if len(head) > _LONG:
        lines = [
            f"{indent}for {name} in (\n",
            *(f"{indent}    {entry},\n" for entry in entries),
            f"{indent}):\n",
        ]
    return [*lines, f"{indent}    {before}{name}{behind}\n"]


REPEAT_IN_LOOP = Refactoring("repeat_in_loop", "refactor.rewrite.repeatInLoop", _propose)
