"""`copydesk eval` and a run's curve, on the embedded model: what is measured, written, taken up again and drawn."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from copydesk.errors import TrainingError
from copydesk.serving.loaded_model import EMBEDDED
from copydesk_benchmarks import __main__ as benchmarks
from copydesk_server.cli import main
from copydesk_training.evaluation import curve
from copydesk_training.evaluation.curve_plot import draw
from held_out_folders import KINDS, held_out


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return held_out(tmp_path_factory.mktemp("examples"))


def row(requests: int | None, hits: int) -> curve.Measured:
    exact = {"off": {"instructions": {"hits": hits, "total": 10, "low": 0.1, "high": 0.9}}}
    point = (
        curve.Point(requests, f"model-{requests}", 60.0, {"program": 0.5}) if requests is not None else None
    )
    return curve.Measured(f"model-{requests}" if point else "embedded", point, {}, exact)


def test_points_are_what_the_trainer_noted_and_what_its_files_are_called(tmp_path: Path) -> None:
    for name in ("model-000300", "final"):
        (tmp_path / name).mkdir()
    (tmp_path / "adapter-000100.safetensors").touch()
    (tmp_path / "optimiser-000100.safetensors").touch()
    curve.add_point(tmp_path, curve.Point(500, "final", 12.5, {"program": 0.7}))
    curve.add_point(tmp_path, curve.Point(200, "removed since"))
    assert [(p.requests, p.model) for p in curve.missing(tmp_path)] == [
        (100, "adapter-000100.safetensors"), (300, "model-000300"), (500, "final")
    ]  # fmt: skip
    assert curve.points(tmp_path)[-1] == curve.Point(500, "final", 12.5, {"program": 0.7})


def test_a_line_cut_short_by_a_kill_is_forgotten_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / curve.CURVE
    curve.append(path, row(None, 3).as_dict())
    with path.open("a") as file:
        file.write('{"requests": 1, "mod')
    curve.append(path, row(100, 4).as_dict())
    assert curve.measured(tmp_path) == [row(None, 3), row(100, 4)]


def test_lines_of_another_kind_are_told(tmp_path: Path) -> None:
    curve.append(tmp_path / curve.CURVE, {"requests": 3})
    with pytest.raises(TrainingError, match="without 'model'"):
        curve.measured(tmp_path)
    curve.append(tmp_path / curve.POINTS, {"requests": "many", "model": "m"})
    with pytest.raises(TrainingError, match="not a point"):
        curve.points(tmp_path)


def test_the_picture_is_drawn_by_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TrainingError, match="no measured model"):
        draw(tmp_path, tmp_path / "x.png")
    for measured in (row(None, 5), row(2000, 6), row(1000, 4)):
        curve.append(tmp_path / curve.CURVE, measured.as_dict())
    for name in ("argv", "path"):  # which the command sets
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    assert benchmarks.main(["curve", str(tmp_path)]) == 0
    assert Path(capsys.readouterr().out.strip()).read_bytes().startswith(b"\x89PNG")
    with pytest.raises(TrainingError, match="lists on"):
        draw(tmp_path, tmp_path / "x.png", mode="on")


def test_a_run_is_measured_once_and_its_new_models_later(examples: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EMBEDDED, run / "model-000010")
    command = ["eval", "curve", "--run", str(run), "--examples", str(examples), "--per-kind", "1", "--quiet"]
    command += ["--narrow", "off"]
    assert main(command) == 0
    shutil.copytree(EMBEDDED, run / "later")
    (run / "model-000015").mkdir()  # no model: told, and the others are measured
    curve.add_point(run, curve.Point(20, "later", 5.0, {"program": 0.25}))
    assert main(command) == 1
    level, first, second = curve.measured(run)
    assert (level.name, level.point) == ("embedded", None)
    assert first.point == curve.Point(10, "model-000010")
    assert second.point == curve.Point(20, "later", 5.0, {"program": 0.25})
    assert level.exact == first.exact == second.exact
    assert level.exact["off"]["all"]["total"] == len(KINDS)
    assert (run / "curve.png").is_file()
    assert main([*command, "--seed", "1"]) == 2  # other examples would not be comparable


def test_two_models_and_both_modes_side_by_side(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = tmp_path / "verdicts.jsonl"
    shutil.copytree(EMBEDDED, tmp_path / "copy")
    code = main(
        [
            "eval", "--examples", str(examples), "--model", str(EMBEDDED), "--model", str(tmp_path / "copy"),
            "--narrow", "both", "--per-kind", "2", "--groups", "names", "nothing", "--json", str(verdicts), "--quiet",
        ]
    )  # fmt: skip
    assert code == 0
    headings = [line for line in capsys.readouterr().out.split("\n") if line.startswith("## ")]
    assert [heading.removesuffix(", pages as the model declares")[3:] for heading in headings] == [
        "mini, lists on", "mini, lists off", "copy, lists on", "copy, lists off",
        "lists on and lists off: mini", "mini and copy: lists on", "mini and copy: lists off",
        "lists on and lists off: copy",
    ]  # fmt: skip
    found = [json.loads(line) for line in verdicts.read_text().split("\n") if line]
    assert {(v["model"], v["narrow"], v["kind"]) for v in found} == {
        (model, narrow, kind)
        for model in ("mini", "copy")
        for narrow in (True, False)
        for kind in ("undefined_name", "clean_bug")
    }
    assert len(found) == 16


def test_a_spent_budget_says_how_far_it_came(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["eval", "--examples", str(examples), "--minutes", "1e-9", "--per-kind", "2", "--quiet"]
    assert main(command) == 0
    assert "0 to 0 examples of each kind were measured, 0 of 8" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["eval"], ["eval", "curve"], ["eval", "--examples", "x", "--kind", "renames"]]
)
def test_what_is_missing_or_unknown_is_told(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--quiet"]) == 2
    assert capsys.readouterr().err.startswith("copydesk: ")
