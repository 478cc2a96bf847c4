"""Nested `with` statements that stay as they are: something else stands between them, or a text goes over several lines."""

from __future__ import annotations

import pytest

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines


def merges(text: str) -> list[tuple[int, str]]:
    """The first line and the text of each merge that is offered."""
    lines = split_lines(text)
    context = RefactoringContext.of(lines, [(1, len(lines))], parse(lines, "python"))
    found = enumerate_candidates(context, arguments_of("merge the nested with statements"), 100)
    edits = [one.edits[0] for one in found if one.title == "Merge the nested with statements"]
    return sorted((edit.first, edit.text) for edit in edits)


@pytest.mark.parametrize(
    "text",
    [
        "with a:\n    with b:\n        f()\n    # below\n",
        "with a:\n    # between\n    with b:\n        f()\n",
        "with a:  # behind\n    with b:\n        f()\n",
        "with a:\n    with b:\n        f()\n    g()\n",
        "async with a:\n    with b:\n        f()\n",
        'with a:\n    with b:\n        f("""\n""")\n',
        "with a:\n    with b: f()\n",
    ],
)
def test_what_is_not_merged(text: str) -> None:
    assert merges(text) == []


def test_a_comment_behind_the_last_stays() -> None:
    text = "with a:\n    with b:  # why\n        f()\n"
    assert merges(text) == [(1, "with a, b:  # why\n    f()\n")]


def test_all_of_them_or_the_inner_ones() -> None:
    text = "with a as b, c:\n    with d:\n        with f:\n            g()\n"
    assert merges(text) == [(1, "with a as b, c, d, f:\n    g()\n"), (2, "    with d, f:\n        g()\n")]
