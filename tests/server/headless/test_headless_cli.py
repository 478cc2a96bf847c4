"""`copydesk fix` and `copydesk refactor` end to end: the embedded model, real ruff, exit codes and what is printed."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from copydesk.decode.choice_settings import ChoiceSettings
from copydesk.editor import Editor
from copydesk.program import Gen, Program, Sub
from copydesk.text.document import Position, TextEdit, apply_edits
from copydesk_server.arguments.parser import build_parser
from copydesk_server.cli import main
from copydesk_server.headless.discover import Filters, discover
from copydesk_server.ruff import Ruff
from repository import ROOT
from server_tools import ruff_that, the_ruff

RULES = "F401,E711,F841,F541"
BROKEN = '''\
"""A module."""

import json
import os


def read(path, default=None):
    if default == None:
        default = {}
    unused = 3
    print(f"reading")
    with open(path) as file:
        return json.load(file)
'''
MENDED = (
    BROKEN.replace("import os\n", "")
    .replace("== None", "is None")
    .replace("    unused = 3\n", "")
    .replace('f"', '"')
)


@pytest.fixture(scope="module")
def loaded() -> Any:
    with Editor.load("mini", device="cpu", warm=False) as editor:
        yield editor


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: Editor) -> Path:
    """A small project to be in, the state folder beside it, and one model for all tests."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(Editor, "load", classmethod(lambda *_args, **_options: _Kept(loaded)))
    return folder


class _Kept:
    """The one editor; leaving it closes nothing."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def __enter__(self) -> Editor:
        return self._editor

    def __exit__(self, *_: object) -> None:
        assert not self._editor.documents
        self._editor.check_integrity()


def objects(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.split("\n") if line]


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    def place(at: dict[str, int]) -> Position:
        return Position(at["line"], at["character"])

    given = [TextEdit(place(e["range"]["start"]), place(e["range"]["end"]), e["newText"]) for e in edits]
    return apply_edits(text, given)


def test_fix_confirms_the_rules_it_knows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BROKEN)
    (project / "clean.py").write_text("x = 1\n")
    assert main(["fix", ".", "--select", RULES, "--json", "--unsafe-fixes"]) == 1
    (told,) = objects(capsys)
    assert (told["path"], told["status"], told["error"]) == ("a.py", "edited", None)
    assert {fix["request"]["diagnostic"]["code"]: fix["verdict"] for fix in told["fixes"]} == dict.fromkeys(
        RULES.split(","), "confirmed"
    )
    assert {
        fix["request"]["diagnostic"]["code"] for fix in told["fixes"] if fix["applicability"] == "unsafe"
    } == {"E711"}
    assert all("ruff" in fix["checks"] and fix["program"].startswith("<program>") for fix in told["fixes"])
    assert applied(BROKEN, told["edits"]) == MENDED
    assert set(told["ms"]) == {"load", "prefill", "decode", "total"}
    assert told["counts"]["forced"] > 0
    assert (project / "a.py").read_text() == BROKEN


@pytest.mark.parametrize(
    ("allowed", "mended"),
    [("none", set[str]()), ("safe", {"C420"}), ("unsafe", {"C420", "B905"})],
)
def test_fixes_of_the_linters_own_are_taken_where_allowed(
    project: Path, capsys: pytest.CaptureFixture[str], allowed: str, mended: set[str]
) -> None:
    text = "def f(a, b):\n    print({k: None for k in a})\n    return list(zip(a, b))\n"
    (project / "a.py").write_text(text)
    main(["fix", ".", "--select", "C420,B905", "--json", "--unsafe-fixes", "--linter-fixes", allowed])
    (told,) = objects(capsys)
    fixes = {fix["request"]["diagnostic"]["code"]: fix for fix in told["fixes"]}
    assert {code for code, fix in fixes.items() if fix["request"]["diagnostic"]["proposed"]} == mended
    assert all(fixes[code]["verdict"] == "confirmed" for code in mended)
    assert all(fixes[code]["counts"]["generated"] == 0 for code in mended)
    by_ruff = {
        "C420": ("{k: None for k in a}", "dict.fromkeys(a)"),
        "B905": ("zip(a, b)", "zip(a, b, strict=False)"),
    }
    wanted = text
    for code in mended:
        wanted = wanted.replace(*by_ruff[code])
    result = applied(text, told["edits"])
    assert all(by_ruff[code][1] in result for code in mended)
    assert len(mended) < 2 or result == wanted


def test_fix_writes_and_then_nothing_is_left(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_bytes(BROKEN.replace("\n", "\r\n").encode("utf-8-sig"))
    assert main(["fix", "a.py", "--select", RULES, "--write", "--unsafe-fixes"]) == 0
    assert (project / "a.py").read_bytes() == MENDED.replace("\n", "\r\n").encode("utf-8-sig")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "F401: 1 applied" in captured.err
    assert main(["fix", "a.py", "--select", RULES, "--write", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_diff_applies_and_origins_are_shown(
    project: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = "# coding: latin-1\n" + BROKEN.replace("A module", "A m\xf6dule")
    (project / "a.py").write_bytes(text.encode("latin-1"))
    assert main(["fix", ".", "--select", "E711", "--quiet", "--unsafe-fixes"]) == 1
    diff = capsysbinary.readouterr().out
    subprocess.run(["git", "apply", "-"], input=diff, check=True, capture_output=True)
    assert (project / "a.py").read_bytes() == text.replace("== None", "is None").encode("latin-1")
    (project / "a.py").write_text(BROKEN)
    assert main(["fix", ".", "--select", "E711", "--quiet", "--unsafe-fixes", "--origin"]) == 1
    shown = capsysbinary.readouterr().out.decode()
    assert "│" in shown
    assert "copied" in shown


@pytest.mark.parametrize("style", ["ruff", "sarif"])
def test_diagnostics_from_a_file_or_standard_input(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    (project / "a.py").write_text(BROKEN)
    form = {"ruff": "json", "sarif": "sarif"}[style]
    command = [
        str(the_ruff().program),
        "check",
        "--isolated",
        f"--select={RULES}",
        f"--output-format={form}",
        ".",
    ]
    said = subprocess.run(command, capture_output=True, check=False).stdout
    if style == "ruff":
        Path("found.json").write_bytes(said)
        name = "found.json"
    else:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said)))
        name = "-"
    assert (
        main(["fix", ".", "--diagnostics", name, "--select", "E7", "--write", "--quiet", "--unsafe-fixes"])
        == 0
    )
    assert (project / "a.py").read_text() == BROKEN.replace("== None", "is None")
    assert capsys.readouterr() == ("", "")


def test_pyrights_findings_are_confirmed_where_ruff_reports_the_same(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text(BROKEN)
    item = {
        "file": str(project / "a.py"), "severity": "warning", "message": 'Import "os" is not accessed',
        "range": {"start": {"line": 3, "character": 7}, "end": {"line": 3, "character": 9}}, "rule": "reportUnusedImport",
    }  # fmt: skip
    Path("found.json").write_text(
        json.dumps({"generalDiagnostics": [item, {**item, "file": "/elsewhere/b.py"}]})
    )
    main(["fix", ".", "--diagnostics", "found.json", "--json"])
    (told,) = objects(capsys)
    (fix,) = told["fixes"]
    assert (fix["verdict"], fix["applied"], fix["checks"]) == ("confirmed", True, ["syntax", "ruff"])


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ([], "safe"),
        (["--unsafe-fixes"], "unsafe"),
        (["--checked"], "safe"),
        (["--linter-fixes", "unsafe"], "safe"),
        (["--unverified"], "unsafe"),
    ],
)
def test_what_changes_the_meaning_is_written_where_it_is_asked_for(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], written: str
) -> None:
    (project / "a.py").write_text(BROKEN)
    code = main(["fix", "a.py", "--select", RULES, "--write", *options])
    safe = BROKEN.replace("import os\n", "").replace("    unused = 3\n", "").replace('f"', '"')
    assert (project / "a.py").read_text() == (MENDED if written == "unsafe" else safe)
    assert code == (0 if written == "unsafe" else 1)
    assert ("E711 confirmed: it may change what the code means" in capsys.readouterr().err) == (code == 1)


@pytest.mark.parametrize(
    ("options", "written"), [([], False), (["--checked"], True), (["--unverified"], True)]
)
def test_what_no_tool_confirms_is_written_where_it_is_asked_for(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    written: bool,
) -> None:
    (project / "a.py").write_text(BROKEN)
    command = [str(the_ruff().program), "check", "--isolated", "--select=F541", "--output-format=json", "."]
    Path("found.json").write_bytes(subprocess.run(command, capture_output=True, check=False).stdout)
    monkeypatch.setattr(Ruff, "find", classmethod(lambda _cls, _opened: None))
    code = main(["fix", "a.py", "--diagnostics", "found.json", "--write", *options])
    assert code == (0 if written else 1)
    assert (project / "a.py").read_text() == (BROKEN.replace('f"', '"') if written else BROKEN)
    said = "F541 checked: Ruff was not run again (--checked applies it)"
    assert (said in capsys.readouterr().err) is not written


def test_the_rules_of_a_file_of_diagnostics_are_those_that_count(project: Path) -> None:
    """Blind excepts are new behind the fix, and nobody asked about them."""
    (project / "ruff.toml").write_text('[lint]\nselect = ["E722", "BLE001"]\n')
    text = "try:\n    x = 1\nexcept:\n    x = 2\n"
    (project / "a.py").write_text(text)
    command = [str(the_ruff().program), "check", "--select=E722", "--output-format=json", "."]
    Path("found.json").write_bytes(subprocess.run(command, capture_output=True, check=False).stdout)
    assert main(["fix", "a.py", "--write", "--unsafe-fixes", "--quiet"]) == 1
    assert (project / "a.py").read_text() == text
    assert main(["fix", "a.py", "--diagnostics", "found.json", "--write", "--unsafe-fixes", "--quiet"]) == 0
    mended = (project / "a.py").read_text()
    assert mended == text.replace("except:", "except Exception:")
    (project / "a.py").write_text(text)
    assert main(["fix", "a.py", "--select", "E722", "--write", "--unsafe-fixes", "--quiet"]) == 0
    assert (project / "a.py").read_text() == mended


def test_a_refactoring_that_does_nothing_is_no_success(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text("def load(path):\n    return path\n")
    assert main(["refactor", "a.py", "-i", "remove the print statements", "--json"]) == 1
    captured = capsys.readouterr()
    (fix,) = json.loads(captured.out)["fixes"]
    assert (fix["verdict"], fix["edits"], fix["applied"]) == ("unchanged", [], False)
    assert "nothing was done" in captured.err


def test_a_refactoring_is_checked_and_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text("def load(path):\n    return path\n")
    assert main(["refactor", "a.py", "-i", "add a type hint str to path", "--json", "--write"]) == 0
    (told,) = objects(capsys)
    (fix,) = told["fixes"]
    assert (fix["verdict"], fix["applied"]) == ("checked", True)
    assert (project / "a.py").read_text().startswith("def load(path: str):")


@pytest.mark.parametrize("text", ["", "{", "[3]", '{"runs": 3}'])
def test_malformed_diagnostics_fail_the_command(
    project: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    Path("found.json").write_text(text)
    assert main(["fix", ".", "--diagnostics", "found.json"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_itself_fails(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main(["fix", "absent.py"]) == 2
    assert "absent.py: no such file" in capsys.readouterr().err
    assert main(["refactor", "absent*.py", "-i", "x"]) == 2
    assert main(["refactor", ".", "-i", " "]) == 2
    (project / "a.py").write_text(BROKEN)
    assert main(["refactor", "a.py", "-i", "x", "--lines", "9-3"]) == 2
    assert main(["refactor", "a.py", "-i", "x", "--write", "--resume"]) == 2
    assert "nothing to resume" in capsys.readouterr().err
    monkeypatch.setattr(Ruff, "find", classmethod(lambda _cls, _opened: None))
    assert main(["fix", "."]) == 2
    assert "ruff is not installed" in capsys.readouterr().err
    monkeypatch.setattr(Ruff, "find", classmethod(lambda _cls, _opened: ruff_that(tmp_path, "kill -11 $$")))
    assert main(["fix", "."]) == 2
    assert "ruff failed (-11)" in capsys.readouterr().err


def test_bad_files_are_said_and_the_rest_is_mended(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BROKEN)
    (project / "nul.py").write_bytes(b"import os\nx = '\0'\n")
    (project / "link.py").symlink_to("/etc/hostname")
    assert main(["fix", ".", "--select", RULES, "--write", "--unsafe-fixes"]) in (1, 2)
    assert (project / "a.py").read_text() == MENDED
    assert "nul.py: " in capsys.readouterr().err


def test_what_is_excluded_is_left(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.py", "made/b.py", "deep/made/c.py", "d_pb2.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("import os\n")
    excluded = ["--exclude", "made/", "--exclude", "*_pb2.py"]
    assert main(["fix", ".", "--select", "F401", "--json", *excluded]) == 1
    assert [told["path"] for told in objects(capsys)] == ["a.py"]
    assert main(["fix", "d_pb2.py", "--select", "F401", "--json", *excluded]) == 0
    assert "no files matched" in capsys.readouterr().err


def test_no_files_are_told_from_clean_ones(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "empty").mkdir()
    (project / "clean.py").write_text("x = 1\n")
    for command, said in (
        (["fix", "empty"], "no files matched"),
        (["fix", "."], "nothing to fix: ruff finds nothing in 1 file"),
        (["fix", ".", "--exclude", "clean.py"], "no files matched"),
        (["refactor", "empty", "-i", "x"], "no files matched"),
    ):
        assert main(command) == 0
        assert said in capsys.readouterr().err
        assert main([*command, "--quiet"]) == 0
        assert capsys.readouterr() == ("", "")
    Path("found.json").write_text("[]")
    assert main(["fix", ".", "--diagnostics", "found.json"]) == 0
    assert "there are no diagnostics" in capsys.readouterr().err


def test_statistics_count_what_came_of_each_rule(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BROKEN)
    (project / "b.py").write_text("import os\nx = 1\n")
    (project / "c.py").write_bytes(b"import os\nx = '\0'\n")
    main(["fix", ".", "--select", RULES, "--statistics"])
    captured = capsys.readouterr()
    lines = captured.out.split("\n")
    assert lines[0] == "    2  F401  2 applied"
    assert "    1  E711  1 confirmed" in lines
    assert "c.py: " in captured.err
    assert "a.py" not in captured.err
    with pytest.raises(SystemExit):
        main(["fix", ".", "--statistics", "--json"])


def test_notebooks_are_refused_in_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "a",
        "metadata": {},
        "outputs": [],
        "source": ["import os"],
    }
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "a.ipynb").write_text(json.dumps(whole))
    for command in (["fix", ".", "--select", "F401"], ["refactor", "a.ipynb", "-i", "x"]):
        assert main([*command, "--json"]) == 1
        captured = capsys.readouterr()
        (told,) = (json.loads(line) for line in captured.out.split("\n") if line)
        assert (told["path"], told["status"]) == ("a.ipynb", "refused")
        assert "a notebook" in told["error"]
        assert "a.ipynb: a notebook" in captured.err


def test_git_decides_what_may_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    (project / "a.py").write_text(BROKEN)
    assert main(["fix", ".", "--select", RULES, "--write"]) == 1
    assert "--allow-dirty" in capsys.readouterr().err
    subprocess.run(["git", "add", "a.py"], check=True)
    assert main(["fix", ".", "--select", RULES, "--write"]) == 1
    assert "--allow-staged" in capsys.readouterr().err
    assert (project / "a.py").read_text() == BROKEN
    assert main(["fix", ".", "--select", RULES, "--write", "--allow-staged", "--unsafe-fixes"]) == 0
    assert (project / "a.py").read_text() == MENDED


def test_refactor_serves_every_piece_of_a_long_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".gitignore").write_text("ignored.py\n")
    functions = "\n\n".join(
        f"def f{n}(value):\n    if value == None:\n        return {n}\n    return value\n" for n in range(30)
    )
    for name in ("long.py", "ignored.py"):
        (project / name).write_text(functions)
    (project / "made.py").write_text("# @generated\nx = 1\n")
    code = main(["refactor", ".", "-i", "Compare to None with `is`", "--json", "--batch", "4"])
    told = {item["path"]: item for item in objects(capsys)}
    assert sorted(told) == ["long.py", "made.py"]
    assert "generated" in told["made.py"]["error"]
    scopes = [fix["request"]["scope"][0] for fix in told["long.py"]["fixes"]]
    assert len(scopes) >= 3
    assert [n for first, last in scopes for n in range(first, last + 1)] == list(
        range(1, functions.count("\n") + 1)
    )
    after = applied(functions, told["long.py"]["edits"])
    compile(after, "long.py", "exec")
    assert code == 1, "an edit that is not written, or nothing done at all"


def test_the_lines_named_and_no_others(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BROKEN)
    main(["refactor", "a.py", "-i", "Compare to None with `is`", "--lines", "8-8", "--write", "--quiet"])
    after = (project / "a.py").read_text().split("\n")
    before = BROKEN.split("\n")
    assert after[:7] == before[:7]
    assert after[-len(before[8:]) :] == before[8:]


@pytest.mark.parametrize(
    ("option", "content", "allowed"),
    [
        ("--choices", "x = 1\n\ny = 2\n", r"[xy] = [12]\n?"),
        ("--grammar", 'start: "z = " NUMBER "\\n"\nNUMBER: /[0-9]{1,3}/\n', r"z = [0-9]{1,3}\n"),
    ],
)
def test_new_text_is_one_of_the_choices_or_of_the_grammar(
    option: str, content: str, allowed: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text("a = 0\nb = 0\nc = 0\n")
    (project / "given.txt").write_text(content)
    main(["refactor", "a.py", "-i", "write something else", option, "given.txt", "--json"])
    (told,) = objects(capsys)
    (edit,) = told["fixes"]
    ops = Program.parse(edit["program"]).ops
    for op in ops:
        new = op.text if isinstance(op, Gen) else op.new if isinstance(op, Sub) else None
        assert new is None or re.fullmatch(allowed, new), ops


def test_choices_and_grammars_that_cannot_be_used(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text("a = 0\n")
    (project / "given.txt").write_text("\n \n")
    assert main(["refactor", "a.py", "-i", "x", "--choices", "given.txt"]) == 2
    assert "no line to choose from" in capsys.readouterr().err
    assert main(["refactor", "a.py", "-i", "x", "--grammar", "absent.lark"]) == 2
    (project / "given.txt").write_text("start: nonsense(")
    main(["refactor", "a.py", "-i", "x", "--grammar", "given.txt", "--json"])
    (told,) = objects(capsys)
    assert "refuses the grammar" in told["fixes"][0]["reason"]


def test_discovery(project: Path) -> None:
    for name in (
        "a.py",
        "b.js",
        "c.txt",
        "sub/d.py",
        "sub/skip.py",
        "build/e.py",
        ".venv/f.py",
        "sub/deep/keep.py",
    ):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (project / ".git").mkdir()  # rules of folders above count within a repository
    (project / ".gitignore").write_text("build/\nskip.py\n*keep.py\n")
    (project / "sub" / "deep" / ".gitignore").write_text("!keep.py\n")
    (project / "linked").symlink_to("sub")

    def names(*paths: str, **filters: Any) -> list[str]:
        return [place.path.as_posix() for place in discover(list(paths), Filters(**filters))]

    assert names(".") == ["a.py", "b.js", "sub/d.py", "sub/deep/keep.py"]
    assert names(".", include=("*.txt",)) == ["c.txt"]
    assert names(".", exclude=("sub/",)) == ["a.py", "b.js"]
    assert names(".", languages=("python",)) == ["a.py", "sub/d.py", "sub/deep/keep.py"]
    assert names("build/e.py", "a.py", "./a.py") == ["build/e.py", "a.py"]
    assert names("sub/*.py") == ["sub/d.py", "sub/skip.py"]
    assert names("sub") == ["sub/d.py", "sub/deep/keep.py"]
    (place,) = discover(["sub/d.py"], Filters())
    assert (place.root, place.named) == (project, True)


def test_the_pre_commit_hooks_are_commands_that_parse() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: copydesk (.+)$", text, re.MULTILINE)
    assert len(entries) >= 2
    for entry in entries:
        build_parser().parse_args([*entry.split(), "a.py"])


def test_as_a_program(project: Path) -> None:
    """Its own process, its own model: nothing on standard output but the results."""
    (project / "a.py").write_text(BROKEN)
    command = [
        sys.executable,
        "-m",
        "copydesk_server",
        "fix",
        "a.py",
        "--select",
        RULES,
        "--json",
        "--unsafe-fixes",
    ]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}:{ROOT / 'server'}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1, done.stderr
    assert applied(BROKEN, json.loads(done.stdout)["edits"]) == MENDED


UNCLEAR = "no print needed any more in there"


@pytest.fixture
def unsure(loaded: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedded model as one that chooses an instruction's edit, and is sure of none."""
    codec = loaded.loaded_model.codec
    assert codec is not None
    monkeypatch.setattr(codec, "format", replace(codec.format, chooses=True))
    monkeypatch.setattr(loaded.loaded_model, "choice", ChoiceSettings(confidence=1.1))


def unsure_fix(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
    code = main(["refactor", "a.py", "-i", UNCLEAR, "--lines", "7-12", "--json", *more])
    (told,) = objects(capsys)
    return code, told, told["fixes"][0]


@pytest.mark.usefixtures("unsure")
def test_an_unsure_answer_has_alternatives(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BROKEN)
    code, told, fix = unsure_fix(capsys)
    assert (code, told["status"], told["edits"]) == (1, "unchanged", [])
    assert (fix["verdict"], fix["confidence"], fix["edits"]) == ("unsure", None, [])
    found = fix["alternatives"]
    assert 2 <= len(found) <= 3
    assert all(set(one) == {"title", "probability", "edits"} for one in found)
    probabilities = [one["probability"] for one in found]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < sum(probabilities) <= 1.0002
    assert fix["reason"].startswith(f"did you mean one of these? 1. {found[0]['title']}"[:60])


@pytest.mark.usefixtures("unsure")
def test_unsure_answers_are_printed_with_what_may_be_taken(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text(BROKEN)
    *_, fix = unsure_fix(capsys)
    assert main(["refactor", "a.py", "-i", UNCLEAR, "--lines", "7-12"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    said = "unsure: did you mean one of these? (--take N takes one, --unsure the first)"
    assert f"a.py:7: instruction {said}" in err
    assert err.count("unsure: ") == 1, "said once"
    for number, one in enumerate(fix["alternatives"], 1):
        entry = err[err.index(f"\n  {number}. {one['title'][:50]}") :]
        entry = re.split(r"\n  \d\. ", entry[1:])[0]
        assert f"({one['probability']:.0%})" in entry
        before, after = BROKEN.split("\n"), applied(BROKEN, one["edits"]).split("\n")
        gone = [line for line in before if line not in after]
        come = [line for line in after if line not in before]
        assert len(gone) + len(come) > 0 or not one["edits"]
        for sign, lines in (("-", gone), ("+", come)):
            assert all(f"     {sign}{line}" in entry for line in lines[:4])


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize("number", [1, 2])
def test_an_alternative_is_taken(project: Path, capsys: pytest.CaptureFixture[str], number: int) -> None:
    (project / "a.py").write_text(BROKEN)
    *_, fix = unsure_fix(capsys)
    one = fix["alternatives"][number - 1]
    code, told, taken = unsure_fix(capsys, "--take", str(number), "--write", "--allow-dirty")
    assert one["edits"], one
    assert (code, told["status"]) == (0, "edited")
    assert applied(BROKEN, told["edits"]) == applied(BROKEN, one["edits"])
    assert (taken["verdict"], taken["confidence"], taken["applied"]) == ("checked", one["probability"], True)
    assert (project / "a.py").read_text() == applied(BROKEN, one["edits"])


@pytest.mark.usefixtures("unsure")
def test_the_first_alternative_is_the_likeliest(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BROKEN)
    _, first, _ = unsure_fix(capsys, "--take", "1")
    code, likeliest, fix = unsure_fix(capsys, "--unsure")
    assert likeliest["edits"] == first["edits"] != []
    assert (code, fix["verdict"], fix["confidence"]) == (1, "unsure", fix["alternatives"][0]["probability"])


def test_candidates_are_named_and_one_of_them_is_taken(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text(BROKEN)
    command = ["refactor", "a.py", "-i", UNCLEAR, "--lines", "7-12", "--candidates", "4"]
    main([*command, "--json"])
    (told,) = objects(capsys)
    (fix,) = told["fixes"]
    found = fix["alternatives"]
    assert (len(found), fix["law"]) == (4, "local")
    assert len({json.dumps(one["edits"]) for one in found}) == 4
    probabilities = [one["probability"] for one in found]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < sum(probabilities) <= 1.0002
    main(command)
    _, err = capsys.readouterr()
    for number, one in enumerate(found, 1):
        assert f"  {number}. {one['title'][:50]}" in err
    number, one = next((k, one) for k, one in enumerate(found, 1) if one["edits"] and k > 1)
    main([*command, "--take", str(number), "--json", "--unverified"][:-1])
    (told,) = objects(capsys)
    assert told["fixes"][0]["confidence"] == one["probability"]


def test_what_cannot_be_taken(
    project: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    (project / "a.py").write_text(BROKEN)
    (project / "b.py").write_text(BROKEN)
    (project / "long.py").write_text("\n\n".join(f"def f{n}(x):\n    return x\n" for n in range(60)))
    for arguments, said in (
        (["a.py", "b.py", "--take", "1"], "--take takes one file, and there are 2"),
        (["a.py", "--take", "1", "--unverified"], "--take and --unverified exclude each other"),
        (["long.py", "--take", "1"], "--take takes one request, and the file makes"),
    ):
        assert main(["refactor", *arguments, "-i", UNCLEAR]) == 2
        assert said in capsys.readouterr().err
    for arguments in (["a.py", "--take", "0"], ["a.py", "--take", "1", "--unsure"]):
        with pytest.raises(SystemExit):
            main(["refactor", *arguments, "-i", UNCLEAR])
        capsys.readouterr()
    settled = "rename path to source"
    assert main(["refactor", "a.py", "-i", settled, "--take", "1", "--json"]) == 1
    (told,) = objects(capsys)
    assert (told["status"], told["edits"]) == ("refused", [])
    assert told["fixes"][0]["reason"] == "there are no alternatives to take: the model is not unsure"
    request.getfixturevalue("unsure")
    code, told, fix = unsure_fix(capsys, "--take", "9")
    assert (code, told["status"], fix["verdict"], fix["edits"]) == (1, "refused", "refused", [])
    assert re.fullmatch(r"there is no alternative 9: the model offers [23]", fix["reason"])


def test_a_choice_among_fixes_says_how_likely_it_was(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for names in ("count, amount", "count, court"):
        (project / "a.py").write_text(f"def read({names}):\n    return cout, {names}\n")
        main(["fix", "a.py", "--select", "F821", "--json"])
        (told,) = objects(capsys)
        (fix,) = told["fixes"]
        found.append((fix["counts"]["choices"], fix["confidence"]))
        assert fix["alternatives"] == []
    assert found[0] == (0, None), "one name it may be: nothing to weigh"
    assert found[1][0] == 1
    assert 0.5 <= found[1][1] < 1
