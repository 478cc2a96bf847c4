"""Sloppy instructions: which words change, and that what is given never does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk_training.defects.sloppiness import (
    HABITS,
    Part,
    doubled_space,
    greeted,
    mistyped,
    quoted,
    sloppy,
    thanked,
    uncapitalized,
    unpunctuated,
)


def parts(*texts: str) -> list[Part]:
    """Literal and given text in turn."""
    return [Part(text, given=bool(k % 2)) for k, text in enumerate(texts) if text]


def outcomes(habit: object, *texts: str) -> set[str]:
    """All that a habit makes of an instruction."""
    assert callable(habit)
    return {"".join(p.text for p in habit(Random(k), parts(*texts))) for k in range(60)}


@pytest.mark.parametrize(
    ("habit", "texts", "expected"),
    [
        (unpunctuated, ("Rename ", "a", " to ", "b", "."), {"Rename a to b"}),
        (unpunctuated, ("docstring: ", "It is."), {"docstring: It is."}),
        (unpunctuated, ("...",), {"..."}),
        (uncapitalized, ("Rename ", "A", " to ", "B"), {"rename A to B"}),
        (uncapitalized, ("", "A", " to ", "B"), {"A to B"}),
        (uncapitalized, ("None is ", "a"), {"None is a"}),
        (uncapitalized, ("JIRA-1",), {"JIRA-1"}),
        (doubled_space, ("add it",), {"add  it"}),
        (doubled_space, ("add ", "a b", " `x y`"), {"add a b `x y`"}),
        (mistyped, ("", "parameter", ": ", "value"), {"parameter: value"}),
        (mistyped, ("use `parameter` (optional)",), {"use `parameter` (optional)"}),
        (mistyped, ("except raise while",), {"except raise while"}),
        (mistyped, ("the dict of this",), {"the dict of this"}),
        (mistyped, ("snake_cased ValueError x.strip",), {"snake_cased ValueError x.strip"}),
        (quoted, ("drop ", "a"), {'"drop a"', "'drop a'"}),
        (quoted, ("say `", "a", "`"), {"say `a`"}),
        (quoted, ("docstring: ", "It is"), {"docstring: It is"}),
        (greeted, ("please drop it",), {"please drop it"}),
        (greeted, ("", "a", " is bad"), {"a is bad"}),
        (thanked, ("docstring: ", "It is"), {"docstring: It is"}),
        (thanked, ("call it ", "f", "()"), {"call it f()"}),
        (thanked, ("drop it pls",), {"drop it pls"}),
    ],
)
def test_what_a_habit_makes_of_it(habit: object, texts: tuple[str, ...], expected: set[str]) -> None:
    assert outcomes(habit, *texts) == expected


def test_polite_ones() -> None:
    assert {"please drop it", "hey, drop it"} < outcomes(greeted, "Drop it")
    assert {"drop it, thanks", "drop it thx"} < outcomes(thanked, "drop it")


def test_a_typo_is_of_one_plain_word() -> None:
    found = outcomes(mistyped, "remove ", "remove", " now")
    assert {"rmeove remove now", "rmove remove now", "rremove remove now"} & found
    assert all(text.endswith(" remove now") and text[0] == "r" for text in found)
    assert "remove remove now" not in found


GIVEN = st.text(st.sampled_from("ab_ .`'\"({?!é0"), min_size=1, max_size=12)
LITERAL = st.lists(
    st.sampled_from(
        ["Rename", "the", "parameter", "with", "`", '"', "to", "please", "now.", "(default", ")", "->", "?"]
    ),
    max_size=5,
).map(" ".join)


@given(st.lists(st.tuples(LITERAL, GIVEN), min_size=1, max_size=3), LITERAL, st.integers(0, 999))
def test_what_is_given_stays_in_order(pairs: list[tuple[str, str]], last: str, seed: int) -> None:
    """Whatever the habit; and an instruction is never empty."""
    found = [
        part for literal, exact in pairs for part in (Part(literal), Part(exact, given=True)) if part.text
    ]
    found += [Part(last)] if last else []
    for _, habit in HABITS:
        changed = habit(Random(seed), found)
        assert [p.text for p in changed if p.given] == [exact for _, exact in pairs]
    text = sloppy(Random(seed), found)
    at = 0
    for _, exact in pairs:
        at = text.index(exact, at) + len(exact)


def test_most_instructions_stay_as_they_are() -> None:
    plain = parts("Rename the variable ", "a", " to ", "b", " in this function.")
    texts = [sloppy(Random(k), plain) for k in range(2000)]
    same = texts.count("Rename the variable a to b in this function.") / len(texts)
    assert 0.65 < same < 0.85
    assert sloppy(Random(0), []) == ""
