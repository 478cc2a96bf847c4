"""One command runs every benchmark."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module

import pytest

from copydesk_benchmarks.__main__ import main, modules
from copydesk_server import cli
from repository import ROOT


def test_without_a_name_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert {"kernel", "headless_packages", "soak"} <= set(said.replace(",", " ").split())


def test_a_name_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such", "--seed", "1"]) == 2
    assert "no such benchmark: no_such" in capsys.readouterr().err


def test_the_steps_of_copydesk_bench_go_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(cli, "main", lambda argv: asked.append(argv) or 3)
    assert main(["edit", "--lines", "300"]) == 3
    assert asked == [["bench", "edit", "--lines", "300"]]


@pytest.mark.parametrize("name", modules())
def test_each_says_how_it_is_run_and_takes_options(name: str) -> None:
    module = import_module(f"copydesk_benchmarks.standalone.{name}")
    assert f"python -m copydesk_benchmarks {name}" in (module.__doc__ or "")
    assert callable(module.main)


def test_one_of_them_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "copydesk_benchmarks", "instruction_wordings"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "%" in done.stdout


def test_no_benchmark_changes_the_import_path() -> None:
    for path in (ROOT / "benchmarks").rglob("*.py"):
        changes = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path"
        ]
        assert not changes or path.name == "__main__.py", path
