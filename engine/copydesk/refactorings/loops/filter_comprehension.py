"""Comprehensions of another kind, or with other filters."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import COMPREHENSIONS
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, insert_at, replace_span, rewrite_node
from copydesk.refactorings.expressions import children_of, variables
from copydesk.syntax.splice import end_of
from copydesk.syntax.tree import text_of

_TESTS = (
    ("{0}", "skip the empty ones, blank, falsy"),
    ("{0} is not None", "skip None, missing"),
    ("{0}.strip()", "skip blank ones, whitespace, empty"),
    ("not {0}.startswith('_')", "skip private ones, underscore"),
    ("not {0}.startswith('#')", "skip comments, hash"),
)


def _filter(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    code = [one for one in arguments.code if context.knows(one) and not one.isidentifier()]
    for node in context.walk(*COMPREHENSIONS):
        element, *clauses = children_of(node)
        loops = [one for one in clauses if one.type == "for_in_clause"]
        tests = [one for one in clauses if one.type == "if_clause"]
        if not loops:
            continue
        left = loops[-1].child_by_field_name("left")
        names = variables(left) if left is not None else []
        if left is not None and left.type == "identifier":
            names = [text_of(left)]
        subjects = list(dict.fromkeys([*names, *([text_of(element)] if element.type == "call" else [])]))
        for subject in subjects if not any("\n" in one for one in subjects) else ():
            for test, said in _TESTS:
                made = test.format(subject)
                if tests:
                    yield (
                        f"Filter by one more test: and {made}, {said}",
                        insert_at(context.lines, end_of(tests[-1]), f" and {made}"),
                    )
                else:
                    yield (
                        f"Filter the comprehension by {made}: {said}",
                        insert_at(context.lines, end_of(loops[-1]), f" if {made}"),
                    )
        for made in code if not tests else ():
            yield (
                f"Filter the comprehension by {made}",
                insert_at(context.lines, end_of(loops[-1]), f" if {made}"),
            )
        for clause in tests:
            title = f"Drop the filter {text_of(clause)} of the comprehension"
            above = loops[-1]
            if above.end_point[0] == clause.start_point[0] == clause.end_point[0]:
                yield title, replace_span(context.lines, end_of(above), end_of(clause), "")
            elif context.starts_line(clause) and not context.split(end_of(clause))[1].strip():
                yield title, delete_lines(clause.start_point[0] + 1, clause.end_point[0] + 1)


def _kind(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A generator for a list that is only gone over, and a list for a generator."""
    for node in context.walk("list_comprehension"):
        parent = node.parent
        if parent is not None and parent.type == "argument_list" and parent.named_child_count == 1:
            inside = text_of(node)[1:-1]
            yield (
                "Drop the list, a generator will do",
                rewrite_node(context.lines, node, inside.strip() if "\n" not in inside else inside),
            )
        yield (
            "Make the list comprehension a generator",
            rewrite_node(context.lines, node, f"({text_of(node)[1:-1]})"),
        )
        yield (
            "Make the list comprehension a set",
            rewrite_node(context.lines, node, f"{{{text_of(node)[1:-1]}}}"),
        )
    for node in context.walk("generator_expression"):
        text = text_of(node)
        if text.startswith("("):
            call = node.parent is not None and node.parent.type == "call"
            new = f"([{text[1:-1]}])" if call else f"[{text[1:-1]}]"
            yield "Make the generator a list", rewrite_node(context.lines, node, new)


COMPREHENSION_KIND = Refactoring("comprehension_kind", "refactor.rewrite.comprehensionKind", _kind)
FILTER_COMPREHENSION = Refactoring(
    "filter_comprehension", "refactor.rewrite.filterComprehension", _filter, everywhere=True
)
