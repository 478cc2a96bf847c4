"""Instructions of two parts."""

from __future__ import annotations

import pytest

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import Range
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from quick_fixes import applied as applied_to

_ELSE = "def f(items):\n    if items:\n        return 1\n    else:\n        return '%s' % items\n"


def context_of(source: str, scope: Range | None = None) -> RefactoringContext:
    lines = split_lines(source)
    tree = parse(lines, "python")
    assert tree is not None
    return RefactoringContext.of(lines, [scope or (1, len(lines))], tree)


def applied(source: str, edits: Edits) -> str:
    return applied_to(split_lines(source), edits)


@pytest.mark.parametrize(
    ("instruction", "source", "expected"),
    [
        (
            "drop the else and use an f-string",
            _ELSE,
            "def f(items):\n    if items:\n        return 1\n    return f'{items}'\n",
        ),
        (
            "rename items to rows and make it keyword-only",
            "def f(items):\n    return g(items)\n",
            "def f(*, rows):\n    return g(rows)\n",
        ),
        (
            "remove the comment, rename fp to file",
            "with open(a) as fp:\n    # b\n    g(fp)\n",
            "with open(a) as file:\n    g(file)\n",
        ),
    ],
)
def test_both_parts_are_done(instruction: str, source: str, expected: str) -> None:
    found = enumerate_candidates(context_of(source), arguments_of(instruction), 32)
    both = [one for one in found if "; and " in one.title]
    assert expected in [applied(source, one.edits) for one in both]
    assert len(both) <= 2
    assert len(found) <= 32


@pytest.mark.parametrize(
    "instruction",
    [
        "drop the else",
        "say 'drop the else and use an f-string' there",
        "and",
        "",
        "the cat and the dog sat down there",
    ],
)
def test_an_instruction_of_one_part_has_single_edits_alone(instruction: str) -> None:
    found = enumerate_candidates(context_of(_ELSE), arguments_of(instruction), 32)
    assert not [one.title for one in found if "; and " in one.title]


def test_both_edits_stay_inside_the_selection() -> None:
    source = f"x = 1\n{_ELSE}y = 2\n"
    context = context_of(source, (4, 6))
    for one in enumerate_candidates(context, arguments_of("drop the else and use an f-string"), 32):
        assert context.allows(one.edits)


def test_a_long_selection_has_single_edits_alone() -> None:
    source = _ELSE + "y = 1\n" * 60
    found = enumerate_candidates(context_of(source), arguments_of("drop the else and use an f-string"), 32)
    assert not [one.title for one in found if "; and " in one.title]
