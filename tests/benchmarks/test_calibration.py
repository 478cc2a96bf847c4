"""Reliability and coverage of answers: the figures are those worked out by hand."""

from __future__ import annotations

import json
import sys
from math import log
from pathlib import Path

import pytest

from copydesk.decode.choice_settings import PRIOR_WEIGHT, ChoiceSettings
from copydesk_benchmarks.calibration import (
    Answered,
    bins,
    calibration_error,
    candidates_table,
    coverage_curve,
    coverage_table,
    reliability_table,
)
from copydesk_benchmarks.likeliest_choice import by_probability
from copydesk_benchmarks.standalone import choice_calibration, choice_settings

ANSWERS = [
    Answered(0.95, True, True, True),
    Answered(0.91, True, True, True),
    Answered(1.0, False, True, True),
    Answered(0.55, True, True, True),
    Answered(0.52, False, False, False),
]


def test_bins_and_the_error() -> None:
    low, high = bins(ANSWERS)
    assert (low.said, str(low.share)) == (pytest.approx(0.535), str(type(low.share)(1, 2)))
    assert (high.said, high.share.hits, high.share.total) == (pytest.approx(0.953333), 2, 3)
    expected = (2 * abs(0.5 - 0.535) + 3 * abs(2 / 3 - 0.953333)) / 5
    assert calibration_error(bins(ANSWERS)) == pytest.approx(expected, abs=1e-5)
    assert calibration_error([]) == 0


def test_only_edits_are_shown() -> None:
    table = coverage_table(ANSWERS, 0.8)
    rows = {row[0]: row[1:] for row in table.rows}
    assert "4/5" in str(rows["0"][0])
    assert "3/4" in str(rows["0"][1])
    assert "3/5" in str(rows["0.8 (used)"][0])
    assert "2/3" in str(rows["0.8 (used)"][1])
    assert coverage_curve(ANSWERS) == [(0.2, 0.0), (0.4, 0.5), (0.6, pytest.approx(2 / 3)), (0.8, 0.75)]


def test_alike_answers_are_shown_together() -> None:
    assert coverage_curve([Answered(0.9, right, True, True) for right in (True, False)]) == [(1.0, 0.5)]


def test_the_groups_of_the_reliability_table() -> None:
    table = reliability_table(ANSWERS)
    assert [row[0] for row in table.rows] == ["edits"] * 2 + ["a right one to be had"] * 2 + ["all"] * 2
    assert "edits " in table.notes[0]


def test_the_command_reads_choices_and_writes_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The distribution is the engine's. An edit, that nothing changes, another edit: one is 18 times as likely as the others."""
    ahead = log(18)
    choices = [
        {"likelihoods": [ahead, 0.0, 0.0], "priors": [0.0] * 3, "right": [True, False, False], "same": [0]},
        {
            "likelihoods": [0.0] * 3,
            "priors": [ahead / PRIOR_WEIGHT, 0.0, 0.0],
            "right": [False, False, True],
            "same": [0],
        },
        {"likelihoods": [0.0, ahead, 0.0], "priors": [0.0] * 3, "right": [False, True, False], "same": [0]},
    ]
    path = tmp_path / "choices.json"
    path.write_text(json.dumps(choices))
    monkeypatch.setattr(
        sys, "argv", ["choice_calibration", str(path), "--about", "a model", "--folder", str(tmp_path)]
    )
    assert choice_calibration.main() == 0
    found = [choice_calibration.answered(choice) for choice in choices]
    assert [one.probability for one in found] == pytest.approx([0.9, 0.9, 0.9])
    assert [(one.right, one.edits, one.present) for one in found] == [
        (True, True, True),
        (False, True, False),
        (True, False, True),
    ]
    told = (tmp_path / "choice-calibration.md").read_text()
    assert "## Coverage" in told
    assert "## Reliability" in told
    assert "## Candidates" in told
    assert "2/3" in told
    assert "calibration error" in capsys.readouterr().out


def test_candidates_are_distinct_edits_by_probability() -> None:
    """Two that come to the same are one edit; that nothing changes has its share, and is no edit."""
    choice = {
        "likelihoods": [log(1.0), log(4.0), log(3.0), log(10.0), log(2.0)],
        "priors": [0.0] * 5,
        "right": [False, True, True, False, False],
        "same": [0, 1, 1],
    }
    found = by_probability(choice, ChoiceSettings(ranking=0.0))
    assert found == [(pytest.approx(0.5), 3), (pytest.approx(0.35), 1), (pytest.approx(0.05), 0)]
    named = choice_calibration.candidates({**choice, "likelihoods": [0.0, 5.0, 4.0, -9.0, -9.0]})
    assert [(one.right, one.edits) for one in named] == [(True, True), (False, True)]


def test_the_table_of_candidates() -> None:
    first = [Answered(0.6, True, True, True), Answered(0.2, False, True, True)]
    table = candidates_table([first, [Answered(0.4, False, True, False)]])
    assert [row[:2] for row in table.rows] == [(1, pytest.approx(0.5)), (2, pytest.approx(0.2))]
    assert "1/2" in str(table.rows[0][2])
    assert "0/1" in str(table.rows[1][2])
    assert "1/2" in table.notes[0]


def test_no_choices_are_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "choices.json"
    path.write_text("[]")
    monkeypatch.setattr(sys, "argv", ["choice_calibration", str(path), "--about", "a model"])
    assert choice_calibration.main() == 1
    assert "no choices" in capsys.readouterr().err


def test_what_settings_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An edit that is right, one that is not, one that is right only where the ranking counts; nothing to do, rightly."""
    choices = [
        {"likelihoods": [3.0, 0.0, 0.0], "priors": [0.0] * 3, "right": [True, False, False], "same": [0]},
        {"likelihoods": [3.0, 0.0, 0.0], "priors": [0.0] * 3, "right": [False, False, True], "same": [0]},
        {
            "likelihoods": [1.0, 0.0, 1.0],
            "priors": [9.0, 0.0, 0.0],
            "right": [True, False, False],
            "same": [0],
        },
        {"likelihoods": [0.0, 3.0, 0.0], "priors": [0.0] * 3, "right": [False, True, False], "same": [0]},
    ]
    alone = choice_settings.Likeliest.of(choices, ChoiceSettings(ranking=0.0))
    assert alone.counts(0.8, 0.8) == choice_settings.Counts(1, 1, 1, 0)
    ranked = choice_settings.Likeliest.of(choices, ChoiceSettings(ranking=0.5))
    assert ranked.counts(0.8, 0.95) == choice_settings.Counts(2, 1, 0, 0)
    cooler = choice_settings.Likeliest.of(choices, ChoiceSettings(temperature=3.0))
    assert cooler.counts(0.8, 0.8) == choice_settings.Counts(0, 0, 0, 0)
    assert choice_settings.Counts(2, 1, 1, 0).worth(3.0) == 0.0
    path = tmp_path / "choices.json"
    path.write_text(json.dumps([choices[0], choices[3]]))
    monkeypatch.setattr(sys, "argv", ["choice_settings", str(path), "--show", "1"])
    assert choice_settings.main() == 0
    *_, best = capsys.readouterr().out.splitlines()
    assert best.startswith("| 1.000 |")
    assert best.endswith("| 1 0 1 0 of 2 |")
    path.write_text(json.dumps([choice | {"likelihoods": [0.0] * 3} for choice in choices[:2]]))
    monkeypatch.setattr(sys, "argv", ["choice_settings", str(path), "--cost", "0.5"])
    assert choice_settings.main() == 0
    *_, best = capsys.readouterr().out.splitlines()
    assert best.endswith("| 1 1 0 0 of 2 |")
    sys.argv += ["--most-wrong", "0"]
    assert choice_settings.main() == 0
    *_, best = capsys.readouterr().out.splitlines()
    assert best.endswith("| 0 0 0 0 of 2 |")


def test_files_count_by_their_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One and the same choice, right in one file and wrong in the other: shown where the first counts more."""
    paths = []
    for name, right in (("right", True), ("wrong", False)):
        paths.append(tmp_path / f"{name}.json")
        choice = {
            "likelihoods": [0.0] * 3,
            "priors": [0.0] * 3,
            "right": [right, False, not right],
            "same": [0],
        }
        paths[-1].write_text(json.dumps([choice]))
    found = {}
    for weights in (("3", "1"), ("1", "3")):
        argv = ["choice_settings", *map(str, paths), "--cost", "1", "--show", "1", "--weights", *weights]
        monkeypatch.setattr(sys, "argv", argv)
        assert choice_settings.main() == 0
        found[weights] = capsys.readouterr().out.splitlines()[-1]
    assert found["3", "1"].endswith("| 1 0 0 0 of 1 | 0 1 0 0 of 1 |")
    assert found["1", "3"].endswith("| 0 0 0 0 of 1 | 0 0 0 0 of 1 |")
    monkeypatch.setattr(sys, "argv", ["choice_settings", str(paths[0]), "--weights", "1", "2"])
    with pytest.raises(SystemExit):
        choice_settings.main()
