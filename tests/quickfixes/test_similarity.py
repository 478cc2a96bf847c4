"""Which words a word may be a misspelling of."""

from __future__ import annotations

import pytest

from copydesk.quickfixes.similarity import distance, meant


@pytest.mark.parametrize(
    ("wrong", "words", "wanted"),
    [
        ("lenght", ["length", "weight", "strength"], ["length"]),  # swapped
        ("retun", ["run", "return", "retune"], ["return", "retune"]),  # left out, and both are one slip away
        (
            "result",
            ["results", "Result", "result"],
            ["Result", "results"],
        ),  # itself is no answer; case is no slip
        ("configurtion", ["configuration"], ["configuration"]),
        ("cnfigurtion", ["configuration"], ["configuration"]),  # two slips in a long word
        ("nme", ["name", "me", "game"], ["name", "me"]),
        ("tmp", ["value"], []),
        ("x", ["y"], []),  # letters are not words
    ],
)
def test_words_that_are_meant(wrong: str, words: list[str], wanted: list[str]) -> None:
    assert meant(wrong, words) == wanted


def test_distance_counts_a_swap_once() -> None:
    assert distance("form", "from") == 1
    assert distance("abc", "abc") == 0
    assert distance("abcdef", "uvwxyz") > 2
