"""`copydesk refactor` over JSON files: with the embedded model, whatever it says, what is written parses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from copydesk_server.cli import main
from copydesk_server.headless.discover import Filters, discover
from copydesk_server.verification import judge, judge_all
from json_texts import PACKAGE, TSCONFIG


def test_an_instruction_leaves_json_files_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("package.json").write_text(PACKAGE, "utf-8")
    Path("tsconfig.json").write_text(TSCONFIG, "utf-8")
    edited = 0
    for lines in ("6-9", "16-18", "2-4"):
        options = ["--model", "mini", "--lines", lines, "--write", "--json", "--allow-dirty", "--unsure"]
        code = main(["refactor", "package.json", "-i", "rename build to compile", *options])
        found = json.loads(capsys.readouterr().out)
        assert code in (0, 1)
        assert found["status"] in ("edited", "unchanged")
        assert all(fix["verdict"] in ("unsure", "unchanged") for fix in found["fixes"])
        edited += found["status"] == "edited"
        json.loads(Path("package.json").read_text("utf-8"))
    assert edited, "the model changed nothing: the test says nothing"


def test_nothing_is_written_where_the_model_has_not_learnt_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its edit is named with its probability, and may be taken."""
    monkeypatch.chdir(tmp_path)
    Path("package.json").write_text(PACKAGE, "utf-8")
    given = ["refactor", "package.json", "-i", "rename build to compile", "--model", "mini", "--lines", "6-9"]
    given += ["--write", "--json", "--allow-dirty"]
    assert main(given) == 1
    (fix,) = json.loads(capsys.readouterr().out)["fixes"]
    assert fix["verdict"] == "unsure"
    assert Path("package.json").read_text("utf-8") == PACKAGE
    (one,) = fix["alternatives"]
    assert 0 < one["probability"] < 1
    assert main([*given, "--take", "1"]) in (0, 1)
    (taken,) = json.loads(capsys.readouterr().out)["fixes"]
    assert taken["verdict"] == "checked"
    assert Path("package.json").read_text("utf-8") != PACKAGE


def test_a_folder_gives_no_data_unless_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "package.json", "settings.jsonc"):
        Path(name).write_text("{}\n")
    assert [place.path.name for place in discover(["."], Filters())] == ["a.py"]
    named = discover(["."], Filters(include=("*.json", "*.jsonc")))
    assert [place.path.name for place in named] == ["package.json", "settings.jsonc"]
    assert [place.path.name for place in discover(["package.json"], Filters())] == ["package.json"]


@pytest.mark.parametrize("held", [True, False])
def test_an_edit_that_breaks_the_schema_is_refused_unless_schemas_are_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], held: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("package.json").write_text(PACKAGE, "utf-8")
    Path("lines").write_text('  "scripts": [],\n')  # the only text that may be written
    options = [
        "--model",
        "mini",
        "--lines",
        "6-9",
        "--write",
        "--json",
        "--allow-dirty",
        "--choices",
        "lines",
        "--unsure",
    ]
    options += [] if held else ["--no-schemas"]
    main(["refactor", "package.json", "-i", "rename build to compile", *options])
    found = json.loads(capsys.readouterr().out)
    after = json.loads(Path("package.json").read_text("utf-8"))
    if held:
        assert found["status"] == "refused"
        assert [fix["reason"] for fix in found["fixes"]] == [SCRIPTS]
        assert after == json.loads(PACKAGE)
    else:
        assert found["status"] == "edited"
        assert after["scripts"]["scripts"] == []


SCRIPTS = "the result breaks the schema of package.json: scripts.scripts: [] is not of type 'string'"


@pytest.mark.parametrize(
    ("name", "before", "after", "verdict"),
    [
        ("package.json", PACKAGE, PACKAGE.replace("left-pad", "x"), "checked"),
        ("package.json", PACKAGE, PACKAGE.replace('"engines": {}', '"engines": null'), "refused"),
        ("settings.json", PACKAGE, PACKAGE.replace('"engines": {}', '"engines": null'), "checked"),
        ("tsconfig.build.json", TSCONFIG, TSCONFIG.replace('"strict": true', '"strict": 1'), "refused"),
        ("package.json", PACKAGE.replace("{}", "[]"), PACKAGE.replace("{}", "1"), "checked"),
    ],
)
def test_the_verdict_of_an_edit_of_a_file_with_a_schema(
    name: str, before: str, after: str, verdict: str
) -> None:
    given = {"language": "json", "path": Path(name), "ruff": None}
    found = judge_all(before, after, [], **given)
    assert found.verdict == verdict, found
    if verdict == "refused":
        assert judge_all(before, after, [], **given, schemas=False).verdict == "checked"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (PACKAGE, PACKAGE.replace("left-pad", "x"), "checked"),
        (PACKAGE, PACKAGE.replace('"private": false', '"private": no'), "refused"),
        (TSCONFIG, TSCONFIG.replace("src", "lib"), "checked"),
        (PACKAGE, PACKAGE.replace('"private": false', '"private": false,'), "refused"),
        (PACKAGE.replace("false", "no"), PACKAGE, "checked"),
    ],
)
def test_the_verdict_of_an_edit_of_json(before: str, after: str, verdict: str) -> None:
    found = judge(before, after, None, language="json", path=None, ruff=None)
    assert found.verdict == verdict, found
