"""Clues to a bug that syntax and scopes give by themselves, and the edits that follow each of them up.

They are looked for where somebody asks for a bug without saying which. Sound code has hardly any (`benchmarks/LOG.md`), so that
what there is mostly is the bug. No other kind of bug is known here.
"""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.bug_clues.clue import Clue
from copydesk.refactorings.bug_clues.lost_values import lost_results, not_returned, not_stored
from copydesk.refactorings.bug_clues.swapped_arguments import swapped_arguments
from copydesk.refactorings.bug_clues.unbound_names import unbound_name
from copydesk.refactorings.bug_clues.wording import asks_for_bug, says_no_more
from copydesk.refactorings.bug_clues.wrong_tests import always_the_same, used_where_missing
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.validity import still_parses
from copydesk.syntax.scopes import is_use
from copydesk.syntax.splice import spliced

__all__ = ["LIKELY", "MOST", "asks_for_bug", "followed_up", "says_no_more"]

MOST = 5
"""Edits that follow one clue up."""
LIKELY = 10.0
"""The score of the first edit of a clue."""
STEP = 4.0
"""What an edit loses by being one point less likely than the first."""


def followed_up(context: RefactoringContext) -> Iterator[Candidate]:
    """The edits that the clues in the selected lines lead to, the likeliest of each first; none of code that does not parse.
    Raises: never.
    """
    for clue in () if context.broken else _clues(context):
        for title, splice, fit in clue[:MOST]:
            edits = spliced(context.lines, [splice])
            if edits and still_parses(context, edits):
                yield Candidate(title, edits, LIKELY - STEP * (clue[0][2] - fit))


def _clues(context: RefactoringContext) -> Iterator[Clue]:
    starred = any(
        one.type == "wildcard_import"
        for node in context.tree.root_node.named_children
        if node.type == "import_from_statement"
        for one in node.named_children
    )
    for node in context.walk("identifier"):
        if not starred and is_use(node):
            yield unbound_name(node, context.tree)
    for node in context.walk("function_definition"):
        yield from map(not_returned, lost_results(node))
        yield from not_stored(node)
    for node in context.walk("comparison_operator"):
        yield from always_the_same(node, context.tree)
    for node in context.walk("if_statement", "conditional_expression", "while_statement"):
        yield from used_where_missing(node)
    for node in context.walk("call"):
        yield from swapped_arguments(node, context.tree)
