"""Entries left out of a comprehension, or let in again."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import COMPREHENSIONS
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, replace_span
from copydesk.refactorings.expressions import children_of
from copydesk.refactorings.loops.skip_entry import ASKING
from copydesk.refactorings.requested import requested_tests
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import identifiers, text_of

_STATES = (
    ("none null missing unset without sent", "{0} is not None"),
    ("empty blank falsy nothing no without missing none", "{0}"),
    ("zero 0", "{0} != 0"),
    ("negative positive", "{0} > 0"),
    ("blank blanks whitespace empty", "{0}.strip()"),
    ("private underscore underscores hidden leading", 'not {0}.startswith("_")'),
    ("hidden dot dots", 'not {0}.startswith(".")'),
    ("callable function functions", "callable({0})"),
    ("string strings str text", "isinstance({0}, str)"),
)
"""What an entry must be to stay: words for what is not wanted, and the test."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk(*COMPREHENSIONS):
        element, *clauses = children_of(node)
        filters = [clause for clause in clauses if clause.type == "if_clause"]
        for clause in filters:
            kept = children_of(clause)[0]
            before = clauses[clauses.index(clause) - 1]
            yield (
                f"Drop the filter if {text_of(kept)}, take all",
                replace_span(context.lines, end_of(before), end_of(clause), ""),
            )
        left = clauses[0].child_by_field_name("left") if clauses else None
        if left is None or filters or not arguments.words & ASKING:
            continue
        names = [text_of(n) for n in ([left] if left.type == "identifier" else identifiers(left))]
        tests = [t.format(n) for n in names for words, t in _STATES if arguments.words & set(words.split())]
        read = {text_of(name) for name in identifiers(element)} | {text_of(element)}
        tests += [n for n in names if len(names) > 1 and n not in read and n != "_"]
        tests += [f"{text_of(element)}"] if element.type != "pair" and text_of(element) not in names else []
        tests += [
            test for test in requested_tests(context, arguments)[:4] if any(name in test for name in names)
        ]
        for test in dict.fromkeys(tests):
            yield (
                f"Only entries where {test}, filter",
                insert_at(context.lines, end_of(clauses[-1]), f" if {test}"),
            )


FILTER_ENTRIES = Refactoring("filter_entries", "refactor.rewrite.filterEntries", _propose)
