"""`copydesk doctor` finds what is there, and says 1 where something is missing that copydesk needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.files import executables
from copydesk.models import installed
from copydesk_server.cli import main
from copydesk_server.commands import doctor
from copydesk_server.editor_clients import EditorClient, editor_clients
from copydesk_server.ruff import Ruff


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and a folder without models."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(installed.VARIABLE, str(tmp_path / "models"))
    return tmp_path


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def report(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = main(["doctor", "--device", "cpu", *options])
    return code, capsys.readouterr().out


def program(path: Path, text: str) -> Path:
    put(path, text).chmod(0o755)
    return path


def test_nothing_needed_is_missing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = report(capsys)
    assert code == 0
    lines = {line.split()[0]: line for line in out.split("\n") if line}
    assert str(Ruff.find().program) in lines["ruff"]  # type: ignore[union-attr]
    assert lines["ruff"].split()[1][0].isdigit()
    assert "no client found" in lines["editor"]


def test_a_ruff_that_cannot_be_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = program(home / "bin" / "ruff", "#!/bin/sh\nexit 3\n")
    monkeypatch.setattr(Ruff, "find", classmethod(lambda *_: Ruff(broken)))
    code, out = report(capsys, "--quiet")
    assert code == 1
    assert "cannot be run" in out


def test_git_is_not_needed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "find_executable", lambda name: executables.find_executable(f"no-{name}"))
    code, out = report(capsys)
    assert code == 0
    assert "git" in out
    assert "not found" in next(line for line in out.split("\n") if line.startswith("git"))


def test_an_installed_model_that_lacks_files(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home / "models" / "standard-base" / installed.RECORD, "{}")
    code, out = report(capsys, "--model", "mini", "--quiet")
    assert code == 1
    assert "standard-base: lacks config.json, tokenizer.json, *.safetensors" in out
    assert "copydesk model get standard-base" in out


def test_clients_are_found_where_editors_keep_them(home: Path) -> None:
    code = put(home / ".vscode" / "extensions" / "copydesk.copydesk-0.1.0" / "package.json").parent
    lazy = put(home / ".local" / "share" / "nvim" / "lazy" / "copydesk" / "plugin" / "copydesk.lua")
    emacs = put(home / ".emacs.d" / "init.el", '(add-to-list ... "copydesk" "lsp")')
    put(home / ".config" / "zed" / "settings.json", "{}")
    put(
        home / ".config" / "helix" / "languages.toml", "copydesk" + " " * (1 << 20)
    )  # too large to be looked at
    assert list(editor_clients(home, {})) == [
        EditorClient("VS Code", code),
        EditorClient("Neovim", lazy),
        EditorClient("Emacs", emacs),
    ]
    elsewhere = put(home / "config" / "kate" / "lspclient" / "settings.json", "copydesk lsp")
    found = list(editor_clients(home, {"XDG_CONFIG_HOME": str(home / "config")}))
    assert EditorClient("Kate", elsewhere) in found


def test_clients_are_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home / ".config" / "nvim" / "init.lua", 'require("copydesk").setup()')
    code, out = report(capsys)
    assert code == 0
    assert f"Neovim ({home}/.config/nvim/init.lua)" in out
