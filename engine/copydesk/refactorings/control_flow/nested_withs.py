"""Two `with` statements, one inside the other, as one, and one of two managers as two."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import children_of
from copydesk.syntax.tree import rows, text_of


def _merge(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """All that are nested in one, as far as nothing else stands between them."""
    for node in context.walk("with_statement"):
        chain = _chain(context, node)
        heads = [_head(context, clause, joined=clause is not chain[-1]) for clause in chain]
        if len(chain) < 2 or any(head is None for head in heads):
            continue
        lines: list[str] = []
        for level, (clause, head) in enumerate(zip(chain, heads, strict=True)):
            assert head is not None
            moved = reindented(context, clause.head, clause.head + len(head) - 1, -4 * level)
            if moved is None:
                break
            if lines:
                moved[0] = f"{lines.pop().rstrip()[:-1]}, {moved[0].lstrip().removeprefix('with ')}"
            lines += moved
        else:
            body = reindented(context, chain[-1].first, chain[-1].last, -4 * (len(chain) - 1))
            if body is not None:
                yield "Merge the nested with statements", replace_lines(*rows(node), [*lines, *body])


def _chain(context: RefactoringContext, node: Node) -> list[Clause]:
    """The statement's clause, and those of the statements that are each all there is in the one before, comments included."""
    found: list[Clause] = []
    inside: Node | None = node
    while inside is not None:
        clause = next(iter(clauses_of(context, inside)), None)
        if clause is None or (found and (clause.head, clause.last) != (found[-1].first, found[-1].last)):
            break
        found.append(clause)
        only = [statement.type for statement in clause.statements] == ["with_statement"]
        inside = clause.statements[0] if only else None
    return found


def _head(context: RefactoringContext, clause: Clause, *, joined: bool) -> list[str] | None:
    """The lines before its body; None where it is asynchronous, and where something is to be joined to them and they end in a
    comment.
    """
    lines = context.view(clause.head, clause.first - 1)
    last = lines[-1].rstrip()
    ends = not joined or (last.endswith(":") and "#" not in last)
    return lines if lines[0].lstrip().startswith("with ") and ends else None


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
