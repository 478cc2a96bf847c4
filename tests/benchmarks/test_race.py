"""The race's tables say what was measured, and what a served model is told to write is what its request asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.grammar.token_grammar import new_text, one_of
from copydesk_benchmarks.race_tables import (
    BEHIND,
    Cell,
    Results,
    behind_table,
    latency_table,
    plot,
    targets,
    token_table,
)
from copydesk_benchmarks.served_script import segment

OWN, RIVAL, SLOW = "copydesk, torch int8", "llama.cpp Q8_0, search/replace blocks", "transformers, the file"


def cell(seconds: dict[str, list[float]], **more: object) -> Cell:
    return Cell(
        {"warm": seconds, "cold": {name: [2 * s for s in runs] for name, runs in seconds.items()}}, **more
    )  # type: ignore[arg-type]


@pytest.fixture
def results() -> Results:
    return Results(
        {
            OWN: {50: cell({"one": [0.1, 0.3, 0.2], "two": [0.4]}), 200: cell({"one": [0.2], "two": [0.4]})},
            RIVAL: {50: cell({"two": [0.2]}, prompt=9, written=5), 200: cell({"one": [0.6], "two": [1.2]})},
            SLOW: {50: cell({"one": [2.0]}), 200: Cell(why="≥ 90 s")},
        },
        {50: 43, 200: 190},
        {OWN: "engine", RIVAL: "llama.cpp", SLOW: "transformers"},
        own=[OWN],
    )


def test_ratios_compare_the_same_edits(results: Results) -> None:
    assert results.ratio(RIVAL, OWN, 50, "warm") == pytest.approx(0.5)
    assert results.ratio(RIVAL, OWN, 200, "warm") == pytest.approx(3.0)
    assert results.ratio(SLOW, OWN, 200, "warm") is None
    table = latency_table(results, "warm", OWN)
    assert table.columns == ("", "43 lines", "190 lines")
    assert table.rows == (
        (OWN, "300", "300"),
        (RIVAL, "200 (0.5×)", "900 (3.0×)"),
        (SLOW, "2,000 (10.0×)", "≥ 90 s"),
    )
    assert token_table(results).rows[1][1] == "9 + 5"


def test_a_row_that_is_ahead_is_named_with_the_reason(results: Results) -> None:
    rows = behind_table(results, OWN).rows
    assert [(row[0], row[1]) for row in rows] == [(RIVAL, "warm, 43 lines"), (RIVAL, "cold, 43 lines")]
    assert {row[3] for row in rows} == {BEHIND["llama.cpp"]}
    assert [target.met for target in targets(results, OWN)] == [False, False]
    results.cells[RIVAL][50] = cell({"two": [0.5]})
    assert (
        behind_table(results, OWN).rows[0][0]
        == "none: it is ahead of every row that was run, at every length"
    )
    assert [target.met for target in targets(results, OWN)] == [True, True]


def test_what_was_not_run_is_not_drawn(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert plot(results, tmp_path / "race.png") == ["race.png"]
    assert (tmp_path / "race.png").stat().st_size > 1000


def test_a_request_is_made_to_write_its_own_part_of_the_text() -> None:
    rest = [7, 1, 2, 90, 91, 5]
    assert segment(one_of([(7, 1, 3), (7, 1, 2), (8,)]), rest) == (7, 1, 2)
    assert segment(new_text([("lines", (90, 91)), ("open", (92, 91))]), rest) == [7, 1, 2, 90, 91]
