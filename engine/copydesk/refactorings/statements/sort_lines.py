"""Lines put into the order of the alphabet: assignments, and entries that stand one a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import assigned, has_comment, stands_alone
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import COLLECTIONS, children_of, replace_expression, single_line
from copydesk.syntax.tree import identifiers, rows, text_of

_WORDS = frozenset({"alphabetical", "alphabetically", "sort", "sorted", "order", "ordered", "abc"})
"""Words of an instruction about the order of lines."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _WORDS:
        return
    lines = [node for node in context.walk("expression_statement") if _is_plain(context, node)]
    for _, group in groupby(enumerate(lines), lambda pair: rows(pair[1])[0] - pair[0]):
        run = [node for _, node in group]
        texts = [context.view(*rows(node))[0] for node in run]
        if len(run) > 1 and sorted(texts) != texts and len({node.parent for node in run}) == 1:
            put = replace_lines(rows(run[0])[0], rows(run[-1])[1], sorted(texts))
            yield f"Sort the {len(run)} lines from {text_of(run[0])}, in alphabetical order", put
    for node in context.walk(*COLLECTIONS):
        entries = [text_of(one) for one in children_of(node)]
        if (
            len(entries) < 2
            or sorted(entries) == entries
            or has_comment(context, *rows(node))
            or "*" in entries[0][:1]
        ):
            continue
        title, (first, last) = (
            f"Sort the {len(entries)} entries from {entries[0]}, in alphabetical order",
            rows(node),
        )
        if single_line(node):
            text = text_of(node)
            yield title, replace_expression(context, node, f"{text[0]}{', '.join(sorted(entries))}{text[-1]}")
        elif last - first == len(entries) + 1:
            body = sorted(line.rstrip().rstrip(",") for line in context.view(first + 1, last - 1))
            yield title, replace_lines(first + 1, last - 1, [f"{line},\n" for line in body])


def _is_plain(context: RefactoringContext, node: Node) -> bool:
    """Whether a line gives a name a value that reads no other name: its order does not matter."""
    sides = assigned(node)
    if (
        sides is None
        or not single_line(node)
        or not stands_alone(context, node)
        or has_comment(context, *rows(node))
    ):
        return False
    return sides[0].type == "identifier" and not list(identifiers(sides[1])) and sides[1].type != "identifier"


SORT_LINES = Refactoring("sort_lines", "refactor.rewrite.sortLines", _propose)
