"""The page of examples: the first of each outcome in the order of the set, and what was, or would have been, done."""

from __future__ import annotations

from dataclasses import replace

from copydesk_benchmarks.instruction_records import FOLDER, load_records
from copydesk_benchmarks.standalone.quality_page import EXAMPLES, MOST, PAGE, Shown, example, filled_in

RECORD = load_records(FOLDER / "dev.jsonl")[0]
BEFORE = ["def f(x, upper=False):\n", "    return x\n"]
AFTER = ["def f(x, upper=True):\n", "    return x\n"]
PLACE = "(vobject 0.9.9, `vobject/base.py`, lines 265 to 274)"
DIFF = "\n  ```diff\n  -def f(x, upper=False):\n  +def f(x, upper=True):\n  ```\n"


def shown(outcome: str, after: list[str], wanted: list[str] = AFTER) -> Shown:
    return Shown(RECORD, outcome, BEFORE, after, wanted)


def test_an_edit_is_shown_by_the_lines_that_change() -> None:
    assert example(shown("right", AFTER)) == f"- *upper True by default* {PLACE}{DIFF}"


def test_where_nothing_was_done_stands_what_would_have_been_right() -> None:
    told = f"- *upper True by default* {PLACE}. Nothing was shown. Right would have been"
    assert example(shown("unsure", BEFORE)) == f"{told}:{DIFF}"
    assert example(shown("unsure", BEFORE, wanted=BEFORE)) == f"{told} to leave it as it is.\n"
    assert example(shown("right", BEFORE)) == f"- *upper True by default* {PLACE}: rightly left as it is.\n"


def test_the_first_of_each_outcome_are_taken() -> None:
    page = (
        "# Page\n<!-- examples: right -->\nold\n<!-- end -->\n<!-- examples: wrong -->\nold\n<!-- end -->\n"
    )
    others = [
        replace(shown("right", AFTER), record=replace(RECORD, instruction=f"number {k}"))
        for k in range(MOST + 1)
    ]
    made = filled_in(page, others)
    assert "number 0*" in made
    assert f"number {MOST - 1}*" in made
    assert f"number {MOST}*" not in made
    assert "<!-- examples: wrong -->\n\nNone.\n\n<!-- end -->" in made
    assert "old" not in made
    assert filled_in(made, others) == made


def test_the_page_has_the_places_and_is_filled_in() -> None:
    text = PAGE.read_text("utf-8")
    places = {match[2]: match[0] for match in EXAMPLES.finditer(text)}
    assert set(places) == {"right", "wrong", "unsure"}
    assert all(found.count("\n- *") <= MOST for found in places.values())
    assert places["right"].count("\n- *") == MOST
