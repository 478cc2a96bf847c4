"""The ranking of candidates: what is told of each, and that words of the instruction put the right ones first."""

from __future__ import annotations

import numpy as np
import pytest

from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.ranking import features_of, hashes, places, score, words_of
from copydesk.refactorings.ranking_table import BITS, ranking_table
from copydesk.refactorings.registry import enumerate_candidates, proposals
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines

TEXT = '''def total(items, limit=3):
    """Add up."""
    count = 0
    for item in items:
        if item < limit:
            count += item
    print(count)
    return count
'''
LINES = split_lines(TEXT)


def context() -> RefactoringContext:
    tree = parse(LINES, "python")
    assert tree is not None
    return RefactoringContext.of(LINES, [(1, len(LINES))], tree)


@pytest.mark.parametrize(
    ("instruction", "line", "text"),
    [
        ("rename item to entry", 4, "    for entry in items:\n"),
        ("remove the print", 7, ""),
        ("should be <=", 5, "        if item <= limit:\n"),
        ("limit should default to 5", 1, "def total(items, limit=5):\n"),
        ("return None if items is empty", 3, "    if not items:\n        return None\n"),
    ],
)
def test_what_is_asked_for_comes_early(instruction: str, line: int, text: str) -> None:
    first = enumerate_candidates(context(), arguments_of(instruction), 5)
    assert any((edit.first, edit.text) == (line, text) for one in first for edit in one.edits)


def test_scores_fall() -> None:
    found = enumerate_candidates(context(), arguments_of("make count a float"), 300)
    scores = [one.score for one in found]
    assert len(scores) > 20
    assert scores == sorted(scores, reverse=True)


def test_a_score_is_the_sum_of_the_weights_of_its_features() -> None:
    arguments = arguments_of("remove the print")
    words = hashes(words_of(arguments))
    found = proposals(context(), arguments)
    for one, got in zip(found, score(context(), arguments, found), strict=True):
        paired, single = features_of(context(), arguments, one)
        at = places(words, hashes(paired), hashes(single))
        assert len(at) == len(words) * len(paired) + len(single)
        assert got == pytest.approx(ranking_table().total(at), abs=1e-3)


def test_the_table_is_whole() -> None:
    table = ranking_table()
    assert table.weights.shape == (1 << BITS,)
    assert table.weights.dtype == np.int8
    assert 0 < table.step < 1


@pytest.mark.parametrize("instruction", ["", "*", "é " * 300, "`", "\ud800"])
def test_no_instruction_breaks_it(instruction: str) -> None:
    arguments = arguments_of(instruction)
    assert np.isfinite(score(context(), arguments, proposals(context(), arguments))).all()
