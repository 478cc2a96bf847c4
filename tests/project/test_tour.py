"""The tour's commands do in its sample project what the page says. Its part in VS Code is followed by the tests there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repository import ROOT

PAGE = (ROOT / "docs/tour.md").read_text(encoding="utf-8")


def terminal() -> str:
    """The part of the page that is about commands."""
    return PAGE.split("## In a terminal", 1)[1].split("## In VS Code", 1)[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", terminal(), re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[list[str], str]]:
    """Each command of the page, and what it prints there."""
    found: list[tuple[list[str], str]] = []
    for block in blocks("console"):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append((shlex.split(line[2:]), ""))
            else:
                found[-1] = (found[-1][0], found[-1][1] + line)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "docs/tour", tmp_path / "tour"))


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    program, *rest = arguments
    assert program == "copydesk"
    command = [sys.executable, "-m", "copydesk_server", *rest]
    environment = {**os.environ, "COPYDESK_MODELS": str(folder.parent / "models"), "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_commands(project: Path) -> None:
    asked = commands()
    assert [arguments[1] for arguments, _ in asked] == ["fix", "fix", "refactor"]
    for arguments, printed in asked:
        done = run(arguments, project)
        assert done.returncode == (0 if "--write" in arguments else 1), done.stderr
        if printed:
            assert done.stdout == printed
    (main,) = blocks("python")
    assert (project / "main.py").read_text() == main
    assert "sum_of(items)" in (project / "report.py").read_text()
    done = run(["copydesk", "fix", "."], project)
    assert (done.returncode, done.stdout) == (0, "")
