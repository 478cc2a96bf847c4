"""The HumanEvalFix cases (HumanEvalPack, OctoPack, arXiv 2308.07124): evaluation data, not part of the repository.

`COPYDESK_EVAL_DATA` names the folder with `humanevalpack_python.jsonl` and `humanevalpack_js.jsonl`; without it
`../shared/data` beside the checkout is tried, and where that is missing too the tests that need it are skipped.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

VARIABLE = "COPYDESK_EVAL_DATA"
LANGUAGES = ("python", "js")


@dataclass(frozen=True)
class Case:
    """One defect and its repair, each a whole text."""

    name: str
    before: str
    after: str


def humaneval_cases() -> list[Case]:
    """All 328 cases. Skips the calling test where the data is absent; fails it where the variable is set and it is."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "data"
    cases: list[Case] = []
    for language in LANGUAGES:
        path = folder / f"humanevalpack_{language}.jsonl"
        if not path.is_file():
            if named:
                pytest.fail(f"{VARIABLE} is set, but there is no {path}")
            pytest.skip(
                f"no evaluation data: {path.name} is not in the default folder, and {VARIABLE} is not set"
            )
        with path.open(encoding="utf-8", newline="\n") as rows:
            for row in map(json.loads, rows):
                head = row["declaration"]
                cases.append(
                    Case(row["task_id"], head + row["buggy_solution"], head + row["canonical_solution"])
                )
    return cases
