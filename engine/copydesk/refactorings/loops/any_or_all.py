"""Replace a loop that looks for something with `any` or `all`: one that returns, sets a variable, or breaks out."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment, lead_and_value, next_statement, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines
from copydesk.refactorings.loops.loop_head import read_behind
from copydesk.refactorings.loops.nested_heads import heads_and_body
from copydesk.syntax.tree import rows, text_of

_OTHER = {"True": "False", "False": "True"}


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for loop in context.walk("for_statement"):
        heads, inner = heads_and_body(context, loop)
        if len(heads) < 2 or not heads[-1].opposite:
            continue
        test, over = heads[-1].text.removeprefix("if "), " ".join(head.text for head in heads[:-1])
        found, missed = f"any({test} {over})", f"all({heads[-1].opposite} {over})"
        does = [text_of(statement) for statement in inner]
        if does[-1] == "break" and read_behind(loop):
            continue
        if loop.child_by_field_name("alternative") is not None:
            yield from _broken_out_of(context, loop, does, found)
        elif does in (["return True"], ["return False"]):
            values = (found, f"not {missed}") if does == ["return True"] else (f"not {found}", missed)
            yield from _returned(context, loop, does[0], values)
        elif len(inner) == 2 and does[1] == "break":
            yield from _stored(context, loop, inner[0], found, missed)


def _returned(
    context: RefactoringContext, loop: Node, one: str, values: tuple[str, str]
) -> Iterator[Proposal]:
    """The other answer is returned behind the loop, or behind the `try` that it ends, whose handlers all leave."""
    outer = loop
    block = loop.parent
    if next_statement(loop) is None and block is not None and block.parent is not None:
        clauses = clauses_of(context, block.parent) if block.parent.type == "try_statement" else []
        if [clause.word for clause in clauses] != ["try", *["except"] * (len(clauses) - 1)]:
            return
        if not clauses or clauses[0].body != block or not all(clause.leaves for clause in clauses[1:]):
            return
        outer = block.parent
    after = next_statement(outer)
    if after is None or text_of(after) != f"return {_OTHER[one.removeprefix('return ')]}":
        return
    (first, last), behind = rows(loop), rows(after)[1]
    if has_comment(context, first, last) or has_comment(context, rows(outer)[1] + 1, behind):
        return
    for value in values:
        made = replace_lines(first, last, [f"{context.indent(loop)}return {value}\n"])
        title = f'Replace the loop by "{value.partition("(")[0]}"'
        yield title, merged(made, delete_lines(rows(outer)[1] + 1, behind))


def _stored(
    context: RefactoringContext, loop: Node, stored: Node, found: str, missed: str
) -> Iterator[Proposal]:
    """The variable has the other answer right before the loop."""
    siblings = statements_of(loop.parent)
    at = siblings.index(loop) if loop in siblings else 0
    start, given = lead_and_value(siblings[at - 1]) if at else None, lead_and_value(stored)
    if start is None or given is None or start[0] != given[0]:
        return
    one = text_of(given[1])
    if text_of(start[1]) != _OTHER.get(one) or has_comment(context, rows(siblings[at - 1])[0], rows(loop)[1]):
        return
    for value in (found, f"not {missed}") if one == "True" else (f"not {found}", missed):
        line = f"{context.indent(loop)}{given[0]}{value}\n"
        title = f'Replace the loop by "{value.partition("(")[0]}"'
        yield title, replace_lines(rows(siblings[at - 1])[0], rows(loop)[1], [line])


def _broken_out_of(
    context: RefactoringContext, loop: Node, does: list[str], found: str
) -> Iterator[Proposal]:
    """What stands in the `else` of a loop that only looks, as a condition."""
    clauses = clauses_of(context, loop)
    if does != ["break"] or [clause.word for clause in clauses] != ["for", "else"]:
        return
    if not has_comment(context, rows(loop)[0], clauses[1].first - 1):
        line = f"{context.indent(loop)}if not {found}:\n"
        yield "Use any() instead of for and else", replace_lines(rows(loop)[0], clauses[1].first - 1, [line])


ANY_ALL = Refactoring("any_all", "refactor.rewrite.anyAll", _propose, menu="cursor")
