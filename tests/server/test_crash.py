"""Errors nobody expected: exit code 70, one line, a report without anybody's text."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from copydesk_server import crash
from copydesk_server.cli import main
from copydesk_server.commands import program

SECRET = "the person's own words"


def broken(args: argparse.Namespace) -> int:
    secret = SECRET
    try:
        raise KeyError(secret)
    except KeyError as error:
        raise ValueError(f"cannot parse {secret}") from error


def test_a_crash_is_70_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "run", broken)
    monkeypatch.setattr(crash, "user_state_path", lambda _: tmp_path)
    assert main(["program", "oracle", "a", "b"]) == 70
    said = capsys.readouterr().err
    (path,) = (tmp_path / "crashes").iterdir()
    assert said == f"copydesk: internal error (ValueError); a report without any of your text is in {path}\n"
    report = path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert "command program" in report
    assert "builtins.ValueError" in report
    assert "builtins.KeyError" in report
    assert "test_crash, line" in report
    assert "in broken" in report
    assert "words" not in report
    assert str(tmp_path) not in report


def test_where_no_report_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(program, "run", broken)
    monkeypatch.setattr(crash, "user_state_path", lambda _: tmp_path / "file")
    assert main(["program", "oracle", "a", "b"]) == 70
    assert "no report could be written" in capsys.readouterr().err


@pytest.mark.parametrize("error", [RecursionError, MemoryError, AssertionError, IndexError])
def test_no_error_is_exit_1(
    error: type[Exception],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(program, "run", fail)
    monkeypatch.setattr(crash, "user_state_path", lambda _: tmp_path)
    assert main(["program", "oracle", "a", "b"]) == 70
    assert error.__name__ in capsys.readouterr().err


def test_a_loop_of_causes_ends() -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert [line for line in crash.report(first, "fix") if line.startswith("builtins")] == [
        "builtins.ValueError",
        "builtins.KeyError",
    ]
