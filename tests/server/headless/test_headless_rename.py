"""`copydesk refactor --rename`: a diff, all files written or none, and exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from copydesk_server import cli
from copydesk_server.headless.rename_files import file_and_place, project_of, rename_refusal

FILES = {
    "a.py": "def old():\n    pass\n\n\ndef f(old):\n    return old\n",
    "sub/b.py": "from a import old\n\nold()\n",
    "sub/c.py": "old = 1\n",
}
AFTER = {
    **FILES,
    "a.py": FILES["a.py"].replace("def old", "def new"),
    "sub/b.py": FILES["sub/b.py"].replace("old", "new"),
}


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A repository with all files committed; state and cache folders apart."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    cache = tmp_path_factory.getbasetemp() / "cache"
    cache.mkdir(exist_ok=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    root = tmp_path / "root"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.chdir(root)
    return root


def texts(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text() for name in FILES}


def run(*arguments: str) -> int:
    return cli.main(["refactor", *arguments])


def test_a_diff_that_applies(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("a.py", "--rename", "old", "new", "--quiet") == 1
    diff = capfd.readouterr().out
    assert texts(project) == FILES
    subprocess.run(["git", "apply"], input=diff.encode(), check=True, cwd=project)
    assert texts(project) == AFTER


@pytest.mark.parametrize("place", ["a.py", "a.py:1", "a.py:1:5", "sub/b.py:3:2", "sub/b.py"])
def test_written_from_any_place(project: Path, place: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(place, "--rename", "old", "new", "--write", "--json") == 0
    said = [json.loads(line) for line in capfd.readouterr().out.split("\n") if line]
    assert [(one["path"], one["status"], len(one["edits"])) for one in said] == [
        ("a.py", "edited", 1),
        ("sub/b.py", "edited", 2),
    ]
    assert texts(project) == AFTER


def test_all_files_or_none(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "sub/b.py").write_text(FILES["sub/b.py"] + "# more\n")
    before = texts(project)
    assert run("a.py", "--rename", "old", "new", "--write", "--json") == 1
    said = [json.loads(line) for line in capfd.readouterr().out.split("\n") if line]
    assert [one["status"] for one in said] == ["refused", "refused"]
    assert "another file" in said[0]["error"]
    assert texts(project) == before
    assert run("a.py", "--rename", "old", "new", "--write", "--allow-dirty", "--quiet") == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("a.py", "--rename", "old", "class"), 1, "keyword"),
        (("a.py:5", "--rename", "gone", "new"), 1, "not there"),
        (("a.py", "--rename", "old", "f"), 1, "already"),
        (("gone.py", "--rename", "old", "new"), 2, "no such file"),
        (("a.py", "sub/b.py", "--rename", "old", "new"), 2, "takes one FILE"),
        (("a.py", "--rename", "old", "new", "--lines", "1-2"), 2, "no --lines"),
        (("a.py:0", "--rename", "old", "new"), 2, "begin at 1"),
    ],
)
def test_refusals(
    project: Path, arguments: tuple[str, ...], code: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == code
    assert said in capfd.readouterr().err
    assert texts(project) == FILES


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a:1").touch()
    assert file_and_place("a:1") == ("a:1", None, None)
    assert file_and_place("a:1:2") == ("a:1", 1, None)
    assert file_and_place("b:3:4") == ("b", 2, 3)
    assert file_and_place("b:x") == ("b:x", None, None)


def test_projects(tmp_path: Path) -> None:
    inner = tmp_path / "root" / "pkg" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "root" / "pkg" / "setup.py").touch()
    assert project_of(inner / "a.py") == tmp_path / "root" / "pkg"
    (tmp_path / "root" / ".git").mkdir()
    assert project_of(inner / "a.py") == tmp_path / "root"


def test_an_instruction_renames_no_definition_without_its_callers(project: Path) -> None:
    path, text = Path("a.py"), FILES["a.py"]
    reason = rename_refusal(path, text, None, "Please rename `old` to `new`.")
    assert reason is not None
    assert "several things" in reason
    reason = rename_refusal(path, text, (1, 2), "rename old to new")
    assert reason is not None
    assert "used elsewhere, too (b.py)" in reason
    assert "copydesk refactor FILE --rename old new" in reason
    assert rename_refusal(path, text, (5, 6), "rename f to g") is None
    assert rename_refusal(path, text, (1, 2), "make it faster") is None
    assert rename_refusal(path, "def f():\n    old = 1\n    return old\n", None, "rename old to new") is None
    assert rename_refusal(Path("a.js"), "old = 1", None, "rename old to new") is None
