"""Tables of how good a model is: rows by kind, families, and what counts where."""

from __future__ import annotations

import pytest

from copydesk.training.defects import KINDS
from copydesk.training.evaluate import FAMILIES, Verdict, family, markdown, table


def verdict(kind: str, exact: bool) -> Verdict:
    return Verdict(kind, "edited", exact, exact, True, exact, outside=False, forwards=3, ms=1.0)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("undefined_name", "located diagnostics"),
        ("end_of_file", "located diagnostics"),
        ("ruff_fix", "located diagnostics"),
        ("unlocated_bug", "bugs without a place"),
        ("history", "bugs without a place"),
        ("rename", "instructions"),
        ("invert_if", "instructions"),
        ("clean_bug", "clean code"),
    ],
)
def test_families(kind: str, wanted: str) -> None:
    assert family(kind) == wanted


def test_every_kind_has_a_family() -> None:
    assert {family(kind) for kind in KINDS} <= set(FAMILIES)


def test_rows_count_every_verdict_once_in_its_kind_its_family_and_all() -> None:
    found = [verdict("rename", True), verdict("unused_import", False), verdict("unused_import", True)]
    rows = {row.kind: (row.exact.hits, row.exact.total) for row in table(found)}
    assert rows == {
        "rename": (1, 1),
        "unused_import": (1, 2),
        "located diagnostics": (1, 2),
        "instructions": (1, 1),
        "all": (2, 3),
    }
    assert [line.split("|")[1].strip() for line in markdown(table(found)).split("\n")[2:-1]] == list(rows)
