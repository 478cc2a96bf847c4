"""What a person is asked about edits."""

from __future__ import annotations

import pytest

from copydesk.decode.weighed_program import question
from copydesk.text.titles import LONGEST_TITLE, at_line


@pytest.mark.parametrize(
    ("edits", "asked"),
    [
        ([("rename x", 0.412)], "did you mean this? 1. Rename x (41%)"),
        ([("a", 0.5), ("b", 0.25)], "did you mean one of these? 1. A (50%) 2. B (25%)"),
        ([("x" * 90, 0.1)], f"did you mean this? 1. X{'x' * (LONGEST_TITLE - 2)}… (10%)"),
        (
            [(at_line("x" * 90, 12), 0.1)],
            f"did you mean this? 1. X{'x' * (LONGEST_TITLE - 11)}…, line 12 (10%)",
        ),
        ([(at_line("say a", 7), 0.5)], "did you mean this? 1. Say a, line 7 (50%)"),
    ],
)
def test_one_edit_is_asked_about_in_the_singular(edits: list[tuple[str, float]], asked: str) -> None:
    assert question(iter(edits)) == asked
