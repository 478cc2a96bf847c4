"""Several entries added one after the other, at once, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import following, has_comment, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import children_of, method_of, positional, single_line
from copydesk.syntax.tree import rows, text_of

_BULK = {"append": ("extend", "[", "]"), "add": ("update", "{", "}")}


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement"):
        one = _added(node, *_BULK)
        above = node.prev_named_sibling
        before = _added(above, *_BULK) if above is not None and following(above) == node else None
        if one is None or (before is not None and before[:2] == one[:2]):
            continue
        owner, method, entry = one
        entries, last = [entry], node
        while (below := following(last)) is not None and context.has(below):
            other = _added(below, method)
            if other is None or other[0] != owner or owner in other[2]:
                break
            entries.append(other[2])
            last = below
        if len(entries) > 1 and not has_comment(context, rows(node)[0], rows(last)[1]):
            bulk, opening, closing = _BULK[method]
            made = f"{owner}.{bulk}({opening}{', '.join(entries)}{closing})"
            line = f"{context.indent(node)}{made}\n"
            count = "both" if len(entries) == 2 else f"all {len(entries)}"
            title = f"Use one {bulk}, {count} at once: {made}"
            yield title, replace_lines(rows(node)[0], rows(last)[1], [line])
    for node in plain_statements(context, "expression_statement"):
        yield from _one_each(context, node)


def _added(statement: Node, *methods: str) -> tuple[str, str, str] | None:
    """What is added to, the method, and the entry, of a statement that adds one."""
    call = children_of(statement)[0] if children_of(statement) else statement
    method, given = method_of(call), positional(call) if call.type == "call" else None
    if statement.type != "expression_statement" or method is None or given is None or len(given) != 1:
        return None
    known = (
        text_of(method[1]) in methods and single_line(statement) and given[0].type != "generator_expression"
    )
    return (text_of(method[0]), text_of(method[1]), text_of(given[0])) if known else None


def _one_each(context: RefactoringContext, node: Node) -> Iterator[Proposal]:
    found = _added(node, "extend", "update")
    call = children_of(node)[0] if children_of(node) else node
    given = positional(call) if call.type == "call" else None
    if found is None or not given or given[0].type not in ("list", "tuple", "set"):
        return
    one = "append" if found[1] == "extend" else "add"
    entries = statements_of(given[0])
    if len(entries) > 1 and all(entry.type != "list_splat" for entry in entries):
        lines = [f"{context.indent(node)}{found[0]}.{one}({text_of(entry)})\n" for entry in entries]
        yield f"Call {one} for each instead of {found[1]}", replace_lines(*rows(node), lines)


EXTEND_ONCE = Refactoring("extend_once", "refactor.rewrite.extendOnce", _propose)
