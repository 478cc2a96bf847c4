"""What is wrong with an answer: the place, the extent or the wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.text.document import split_lines
from copydesk_training.evaluation.mistakes import Mistake, changed_lines, mistake_of

BEFORE = "import os\n\n\ndef f(a):\n    b = 1\n    return b\n"
FIXED = BEFORE.replace("b = 1", "b = a")
GUARDED = BEFORE.replace("    b = 1", "    if a is None:\n        return 0\n    b = 1")

texts = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n"]), max_size=9).map("".join)


@pytest.mark.parametrize(
    ("expected", "answer", "wanted"),
    [
        (FIXED, FIXED, None),
        (FIXED, BEFORE, "unchanged"),
        (FIXED, BEFORE.replace("b = 1", "b = 2"), "wrong wording"),
        (FIXED, BEFORE.replace("b = 1", "b = a\n    b += 0"), "wrong wording"),
        (FIXED, BEFORE.replace("return b", "return a"), "wrong place"),
        (FIXED, BEFORE.replace("import os\n", ""), "wrong place"),
        (FIXED, FIXED.replace("return b", "return a"), "wrong extent"),
        (FIXED, BEFORE.replace("    b = 1\n    return b\n", "    return a\n"), "wrong extent"),
        (GUARDED, GUARDED.replace("return 0", "return None"), "wrong wording"),
        (GUARDED, BEFORE.replace("b = 1", "b = 0 if a is None else 1"), "wrong extent"),
        (
            GUARDED,
            BEFORE.replace("    return b", "    if a is None:\n        return 0\n    return b"),
            "wrong place",
        ),
        (BEFORE.replace("import os\n", "import os\nimport re\n"), FIXED, "wrong place"),
        (BEFORE, FIXED, "wrong place"),
        (BEFORE + "\n", BEFORE[:-1], "wrong extent"),
    ],
)
def test_mistakes(expected: str, answer: str, wanted: Mistake | None) -> None:
    assert mistake_of(BEFORE, expected, answer) == wanted


def test_lines_and_places_between_them() -> None:
    assert changed_lines("a\nb\nc\n", "a\nx\nc\n") == {4}
    assert changed_lines("a\nb\nc\n", "a\nc\n") == {4}
    assert changed_lines("a\nb\nc\n", "x\na\nb\nc\n") == {1}
    assert changed_lines("a\nb\nc\n", "a\nb\nc\nx\n") == {7}
    assert changed_lines("", "a\n") == {1}


@given(texts, texts)
def test_what_is_not_changed_stands_in_both(before: str, after: str) -> None:
    places = changed_lines(before, after)
    assert bool(places) == (before != after)
    kept = [line for number, line in enumerate(split_lines(before), 1) if 2 * number not in places]
    left = iter(split_lines(after))
    assert all(line in left for line in kept)  # a subsequence: `in` consumes the iterator


@given(texts, texts, texts)
def test_only_the_expected_text_is_right(before: str, expected: str, answer: str) -> None:
    mistake = mistake_of(before, expected, answer)
    assert (mistake is None) == (answer == expected)
    if answer != expected:
        assert (mistake == "unchanged") == (answer == before)
