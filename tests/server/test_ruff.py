"""ruff as a tool: what it is given, what it says, and that it is never somebody else's program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk.text.document import Encoding, apply_edits
from copydesk_server.applicability import Applicability
from copydesk_server.errors import RuffError
from copydesk_server.ruff import REMEMBERED, RememberingRuff, Ruff, read_json
from server_tools import found, ruff_that, the_ruff
from special_files import SPECIAL


def test_it_says_where_in_code_points() -> None:
    ruff = the_ruff()
    (said,) = ruff.check("x = '\N{GRINNING FACE}'; import os\n", None, select="F401")
    assert (said.start.line, said.start.character, said.end.character) == (0, 16, 18)
    assert (said.code, said.source, said.severity) == ("F401", "Ruff", 2)
    assert said.by_ruff


def test_a_byte_order_mark_counts_in_ours_not_in_ruffs() -> None:
    (said,) = the_ruff().check("\ufeffimport os\n", None, select="F401")
    assert said.start.character == 8


def test_syntax_errors_have_a_code() -> None:
    said = the_ruff().check("def f(:\n    pass\n", None)
    assert said
    assert {d.code for d in said} == {"invalid-syntax"}
    assert {d.severity for d in said} == {1}


def test_configuration_is_found_by_path_and_cannot_change_what_is_asked(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text(
        'fix = true\nfix-only = true\noutput-format = "concise"\n[lint]\nselect = ["E711"]\n'
    )
    text = "import os\nif os == None:\n    pass\nimport re\n"
    path = tmp_path / "deep" / "not_there_yet.py"
    ruff = the_ruff()
    assert [d.code for d in ruff.check(text, path)] == ["E711"]
    assert [d.code for d in ruff.check(text, path, extend=["F401", "not a rule"])] == ["E711", "F401"]
    assert [d.code for d in ruff.check(text, path, select="F401")] == ["F401"]
    assert "E711" not in [d.code for d in ruff.check(text, None, select="F401")]


def test_rules_of_other_tools_are_not_asked_of_it() -> None:
    ruff = the_ruff()
    told = ruff.check("import os\n", None, select="E7", extend=["R1716", "F401", "W0611"])
    assert [each.code for each in told] == ["F401"]
    with pytest.raises(RuffError, match="R1716"):
        ruff.check("import os\n", None, select="R1716")


def test_findings_carry_the_fixes_that_are_allowed() -> None:
    text = "\ufeffimport os\n\n\ndef f(a):\n    b = 1\n    return [x for x in a]\n"
    program = the_ruff().program

    def fixes(*allowed: Applicability) -> dict[str | None, list[str]]:
        said = Ruff(program, frozenset(allowed)).check(text, None, select="F,C416,E741")
        assert all(fix.safe == (d.code == "F401") for d in said for fix in d.fixes)
        return {d.code: [apply_edits(text, fix.edits, Encoding.UTF32) for fix in d.fixes] for d in said}

    without_import = text.replace("import os\n", "")
    unsafe = {"F841": [text.replace("    b = 1\n", "")], "C416": [text.replace("[x for x in a]", "list(a)")]}
    assert fixes() == {"F401": [], "F841": [], "C416": []}
    assert fixes("safe") == {"F401": [without_import], "F841": [], "C416": []}
    assert fixes("safe", "unsafe") == {"F401": [without_import], **unsafe}


def test_survey_reads_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    (path, said), *more = the_ruff().survey([tmp_path], select="F401")
    assert (path, said.code, more) == (tmp_path / "a.py", "F401", [])
    assert the_ruff().survey([]) == []


def test_what_it_said_of_a_text_it_need_not_say_again(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    program = ruff_that(tmp_path, f'echo once >> "{asked}"; exec "{the_ruff().program}" "$@"').program

    def times() -> int:
        return asked.read_text().count("once") if asked.exists() else 0

    ruff = RememberingRuff(program)
    first = ruff.check("import os\n", None, select="F401")
    assert [d.code for d in first] == ["F401"]
    assert ruff.check("import os\n", None, select="F401") == first
    assert times() == 1
    assert ruff.check("import os\n", None, select="E711") == []
    assert times() == 2
    for number in range(REMEMBERED):
        ruff.check(f"x = {number}\n", None)
    ruff.check("import os\n", None, select="F401")
    assert times() == 3 + REMEMBERED
    # Files on disk may change between two questions.
    file = tmp_path / "a.py"
    file.write_text("import os\n")
    assert len(ruff.survey([file], select="F401")) == 1
    file.write_text("x = 1\n")
    assert ruff.survey([file], select="F401") == []


def test_one_in_the_opened_folder_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "ruff").write_text("#!/bin/sh\n")
        (folder / "ruff").chmod(0o755)
        (folder / "ruff.py").write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("copydesk_server.ruff._own_folders", list)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(tmp_path), str(tmp_path / "bin")]))
    assert Ruff.find() is None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert Ruff.find() == Ruff(tmp_path / "ruff")


@pytest.mark.parametrize("put", SPECIAL, ids=lambda put: put.__name__)
@pytest.mark.parametrize("name", ["b.py", "sub/c.pyi"])
def test_a_tree_with_a_source_that_never_ends_is_refused_before_ruff_reads_it(
    put: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    put(path)
    with pytest.raises(RuffError, match=path.name):
        the_ruff().survey([tmp_path], timeout=5)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'not json'", "cannot be read"),
        ("echo '{}'", "cannot be read"),
        ("echo '[{\"code\": 1}]'", "cannot be read"),
        ("echo 'bad setting' >&2; exit 2", "failed (2): bad setting"),
        ("kill -11 $$", "failed (-11)"),
    ],
)
def test_what_goes_wrong_has_a_name(tmp_path: Path, script: str, said: str) -> None:
    with pytest.raises(RuffError, match="ruff") as caught:
        ruff_that(tmp_path, script).check("", None)
    assert said in str(caught.value)


def test_a_report_longer_than_wanted_is_an_error_before_it_is_read() -> None:
    text = "import os\n" * 50
    ruff = the_ruff()
    said = ruff.check(text, None)
    assert len(said) >= 50
    with pytest.raises(RuffError, match="too much"):
        replace(ruff, most_bytes=1000).check(text, None)
    assert replace(ruff, most_bytes=1 << 20).check(text, None) == said


def test_missing_and_silent_programs(tmp_path: Path) -> None:
    with pytest.raises(RuffError, match="could not be run"):
        Ruff(tmp_path / "absent").check("", None)
    with pytest.raises(RuffError, match="did not answer"):
        ruff_that(tmp_path, "exec sleep 600").check("", None, timeout=0.05)


def test_json_that_is_negative_or_turned_round() -> None:
    item = {
        "filename": "a.py", "code": "F401", "message": "m\nhelp: more",
        "location": {"row": 2, "column": 5}, "end_location": {"row": 1, "column": 1},
    }  # fmt: skip
    ((name, said),) = read_json(json.dumps([item]))
    assert (name, said) == ("a.py", found(1, 4, 4, "F401", "m"))
    item["location"] = {"row": 0, "column": 0}
    item["end_location"] = {"row": 0, "column": 0}
    with pytest.raises(RuffError):
        read_json(json.dumps([item]))


@pytest.mark.parametrize(
    ("name", "text", "rule", "wanted"),
    [
        ("pkg/__init__.py", "from .a import b, c\n", "F401", "from .a import b as b, c as c\n"),
        ("pkg/__init__.py", 'from .a import b\n__all__ = ["x"]\n', "F401", 'from .a import b\n__all__ = ["x", "b"]\n'),
        ("f.py", "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x + 1)\n    return out\n", "PERF401",
         "def f(xs):\n    out = [x + 1 for x in xs]\n    return out\n"),
        ("f.py", "def f(xs):\n    out = {}\n    for k, v in xs:\n        out[v] = k\n    return out\n", "PERF403",
         "def f(xs):\n    out = {v: k for k, v in xs}\n    return out\n"),
    ],
)  # fmt: skip
def test_fixes_that_ruff_has_in_its_preview_mode_alone(
    tmp_path: Path, name: str, text: str, rule: str, wanted: str
) -> None:
    (tmp_path / "pkg").mkdir()
    for module in ("__init__.py", "a.py"):
        (tmp_path / "pkg" / module).write_text("")
    ruff = replace(the_ruff(), fixes=frozenset({"safe", "unsafe"}))
    assert {
        fix for said in the_ruff().check(text, tmp_path / name, select=rule) for fix in said.fixes
    } == set()
    (fix,) = {fix for said in ruff.check(text, tmp_path / name, select=rule) for fix in said.fixes}
    assert apply_edits(text, fix.edits, Encoding.UTF32) == wanted
    assert fix.safe == (rule == "F401")
    safe = replace(the_ruff(), fixes=frozenset({"safe"}))
    assert {fix for said in safe.check(text, tmp_path / name, select=rule) for fix in said.fixes} == (
        {fix} if fix.safe else set()
    )
