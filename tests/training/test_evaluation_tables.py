"""Tables of how good a model is: rows by kind, groups, what counts where, and two lists of verdicts side by side."""

from __future__ import annotations

import pytest

from copydesk.errors import TrainingError
from copydesk_training.defects import KINDS
from copydesk_training.evaluation.groups import OPTIONS, groups_of, kinds_of
from copydesk_training.evaluation.table import GROUPS, compare, markdown, markdown_comparison, table
from copydesk_training.evaluation.verdict import Verdict
from copydesk_training.statistics import Paired


def verdict(kind: str, exact: bool, number: int = 0, ms: float = 1.0) -> Verdict:
    return Verdict(
        number, kind, True, "edited", exact, None if exact else "wrong place", exact, True, exact,
        outside=False, generated=4, forwards=3, ms=ms,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("undefined_name", ("located diagnostics", "undefined names", "all")),
        ("end_of_file", ("located diagnostics", "all")),
        ("ruff_fix", ("located diagnostics", "all")),
        ("unlocated_bug", ("unlocated bugs", "all")),
        ("history", ("unlocated bugs", "all")),
        ("rename", ("instructions", "all")),
        ("invert_if", ("instructions", "all")),
        ("clean_bug", ("nothing to do", "all")),
    ],
)
def test_groups(kind: str, wanted: tuple[str, ...]) -> None:
    assert groups_of(kind) == wanted


def test_every_kind_is_in_a_group_that_can_be_named() -> None:
    assert kinds_of((), OPTIONS) == set(KINDS)
    assert all(set(groups_of(kind)) <= set(GROUPS) for kind in KINDS)
    assert kinds_of((), ()) == frozenset()
    assert kinds_of(["rename"], ["names"]) == {"rename", "undefined_name"}


@pytest.mark.parametrize(("kinds", "groups"), [(["renames"], []), ([], ["name"])])
def test_unknown_names_are_told(kinds: list[str], groups: list[str]) -> None:
    with pytest.raises(TrainingError, match="unknown"):
        kinds_of(kinds, groups)


def test_rows_count_every_verdict_once_in_its_kind_its_groups_and_all() -> None:
    found = [
        verdict("rename", True, ms=5.0),
        verdict("unused_import", False, ms=1.0),
        verdict("undefined_name", True, ms=9.0),
    ]
    rows = table(found)
    assert {row.kind: (row.exact.hits, row.exact.total, row.mistakes["wrong place"]) for row in rows} == {
        "rename": (1, 1, 0),
        "undefined_name": (1, 1, 0),
        "unused_import": (0, 1, 1),
        "located diagnostics": (1, 2, 1),
        "undefined names": (1, 1, 0),
        "instructions": (1, 1, 0),
        "all": (2, 3, 1),
    }
    assert (rows[-1].ms, rows[-1].generated, rows[-1].forwards) == (5.0, 4.0, 3.0)
    lines = markdown(rows).split("\n")
    assert [line.split("|")[1].strip() for line in lines[2:-1]] == [row.kind for row in rows]
    assert len({line.count("|") for line in lines[:-1]}) == 1


def test_comparison_pairs_by_number_and_leaves_out_what_one_side_lacks() -> None:
    first = [
        verdict("rename", right, number) for number, right in enumerate([True, True, False, False, True])
    ]
    second = [verdict("rename", right, number) for number, right in enumerate([True, False, True, False])]
    rows = compare(first, reversed(second))
    assert [row.kind for row in rows] == ["rename", "instructions", "all"]
    assert rows[0].paired == Paired(both=1, first=1, second=1, neither=1)
    assert "| rename | 50.0% " in markdown_comparison(rows, "a", "b")
