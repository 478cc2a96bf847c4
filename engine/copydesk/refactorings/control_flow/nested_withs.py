"""Two `with` statements, one inside the other, as one, and one of two managers as two."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import children_of
from copydesk.syntax.tree import rows, text_of


def _merge(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("with_statement"):
        outer = next(iter(clauses_of(context, node)), None)
        if outer is None or [s.type for s in outer.statements] != ["with_statement"]:
            continue
        inner = next(iter(clauses_of(context, outer.statements[0])), None)
        moved = reindented(context, *rows(outer.statements[0]), -4)
        (head,) = context.view(outer.head, outer.head)
        if inner is None or moved is None or outer.first != outer.head + 1 or inner.head != outer.first:
            continue
        if head.rstrip().endswith(":") and not head.lstrip().startswith("async"):
            first = moved[0].lstrip().removeprefix("with ")
            lines = [f"{head.rstrip()[:-1]}, {first}", *moved[1:]]
            yield "Merge the nested with statements", replace_lines(outer.head, rows(node)[1], lines)


def _split(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("with_statement"):
        clause = next(iter(clauses_of(context, node)), None)
        items = next((child for child in node.named_children if child.type == "with_clause"), None)
        if clause is None or items is None or clause.first != clause.head + 1:
            continue
        given, indent = [text_of(item) for item in children_of(items)], context.indent(node)
        body = reindented(context, clause.first, clause.last, 4)
        if len(given) > 1 and body is not None and text_of(node).startswith(f"with {', '.join(given)}:"):
            heads = [f"{indent}with {given[0]}:\n", f"{indent}    with {', '.join(given[1:])}:\n"]
            yield "Split the with statement, nest the second", replace_lines(*rows(node), [*heads, *body])


MERGE_WITHS = Refactoring("merge_withs", "refactor.rewrite.mergeWiths", _merge)
SPLIT_WITH = Refactoring("split_with", "refactor.rewrite.splitWith", _split)
