"""File names that would speak to a terminal: in diffs, messages and tables they are quoted."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from copydesk.text.document import Position, TextEdit
from copydesk_server.cli import main
from copydesk_server.headless.journal import Journal
from copydesk_server.headless.report import FileResult, Reporter
from copydesk_server.headless.source import digest
from copydesk_server.headless.temporary import clear, discard, temporary_name
from copydesk_server.headless.unified_diff import unified
from copydesk_server.printable import header_name, one_line, shown_name

EDIT = TextEdit(Position(0, 0), Position(0, 1), "y")


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("a/x.py", "a/x.py"),
        ("a/é 日本.py", "a/é 日本.py"),
        ("a/x\x1b[2J", '"a/x\\033[2J"'),
        ("a\nb\tc\r", '"a\\nb\\tc\\r"'),
        ('a"b\x07', '"a\\"b\\a"'),
        ("a\\b\x7f", '"a\\\\b\\177"'),
        ("a\x9b2J", '"a\\302\\2332J"'),
        ("a\u202eb", '"a\\342\\200\\256b"'),
        ("a\udcffb", '"a\\377b"'),
        ("a\ud800b", '"a\\355\\240\\200b"'),
    ],
)
def test_names_are_quoted_as_git_does(name: str, quoted: str) -> None:
    assert shown_name(name) == quoted
    assert header_name(name) == quoted


def test_quotes_and_backslashes_matter_in_headers_alone() -> None:
    assert shown_name('a"\\b') == 'a"\\b'
    assert header_name('a"\\b') == '"a\\"\\\\b"'
    assert one_line("a\n\x1b[2Jb") == "a \u241b[2Jb"


@pytest.mark.parametrize("name", ["x\x1b[2J.py", 'q"\\.py', "tab\there.py", "line\nbreak.py", "plain.py"])
def test_git_applies_a_diff_with_such_a_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x = 1\n")
    diff = "".join(unified(name, "x = 1\n", [EDIT]))
    assert "\x1b" not in diff
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / name).read_text() == "y = 1\n"


@pytest.mark.parametrize("json", [False, True])
def test_reports_and_messages(json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(1, json=json, diff=True, origin=False, quiet=False)
    with reporter:
        reporter.file(FileResult(Path("x\x1b[2J.py"), "edited", None, "x = 1\n", edits=[EDIT]))
        reporter.file(FileResult(Path("x\x1b[2J.py"), "failed", "x\x1b[2J.py: no"))
    reporter.summary(written=False)
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert ("\\u001b[2J" if json else "\\033[2J") in shown.out


def test_errors_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "no\x1b[2J\n.py"]) == 2
    assert main(["program", "oracle", "no\x1b[2J", "x"]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert said.count("\n") == 2
    assert '"no\\033[2J\\n.py": no such file' in said


def left_behind(folder: Path, pid: int, *, age: float = 3600.0) -> Path:
    path = folder / f".copydesk-{pid}-{'0' * 12}.tmp"
    path.write_bytes(b"half")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def ended() -> int:
    """The number of a process that is no more."""
    done = subprocess.Popen(["git", "--version"], stdout=subprocess.DEVNULL)
    done.wait()
    return done.pid


def test_what_killed_runs_left_is_cleared(tmp_path: Path) -> None:
    dead = ended()
    stale = left_behind(tmp_path, dead)
    reused = left_behind(tmp_path, os.getpid(), age=10 * 365 * 86400)  # older than the process of that number
    clear([tmp_path, tmp_path / "absent"])
    assert not stale.exists()
    assert not reused.exists()


def test_what_is_not_stale_or_not_ours_stays(tmp_path: Path) -> None:
    dead = ended()
    fresh = left_behind(tmp_path, dead, age=1.0)
    living = left_behind(tmp_path, os.getpid(), age=-1.0)
    names = (f".copydesk-{dead}.tmp", f".copydesk-{dead}-xyz.tmp", f"copydesk-{dead}-{'0' * 12}.tmp")
    others = [tmp_path / name for name in names]
    for path in others:
        path.write_bytes(b"")
        os.utime(path, (1, 1))
    folder = tmp_path / f".copydesk-{dead}-{'1' * 12}.tmp"
    folder.mkdir()
    link = tmp_path / f".copydesk-{dead}-{'2' * 12}.tmp"
    link.symlink_to(others[0])
    clear([tmp_path])
    assert all(path.exists() for path in (fresh, living, folder, *others))
    assert link.is_symlink()


def test_a_journal_discards_beside_the_file_alone(tmp_path: Path) -> None:
    name = temporary_name()
    (tmp_path / "sub").mkdir()
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / name).write_bytes(b"half")
    discard(tmp_path / "sub" / name, tmp_path / "a.py")  # another folder
    discard(tmp_path / "sub" / ".." / "sub" / name, tmp_path / "a.py")
    discard(Path(name), Path("a.py"))
    mine = tmp_path / ".copydesk-notes.tmp"
    mine.write_bytes(b"a person's own")
    discard(mine, tmp_path / "a.py")
    assert mine.exists()
    assert (tmp_path / name).exists()
    assert (tmp_path / "sub" / name).exists()
    discard(tmp_path / name, tmp_path / "a.py")
    assert not (tmp_path / name).exists()


def test_any_run_clears_what_another_command_left(tmp_path: Path) -> None:
    """A killed run's journal says where its temporary file is, in whatever folder; the journal stays, to be resumed."""
    folder, left = tmp_path / "runs", tmp_path / temporary_name()
    killed = Journal.open({"paths": ["a"]}, resume=False, folder=folder)
    left.write_bytes(b"half")
    killed.intend(tmp_path / "a.py", left, b"new")
    Journal.open({"paths": ["b"]}, resume=False, folder=folder).close(complete=True)
    assert left.exists()  # it runs still
    killed.close(complete=False)
    Journal.open({"paths": ["b"]}, resume=False, folder=folder).close(complete=True)
    assert not left.exists()
    resumed = Journal.open({"paths": ["a"]}, resume=True, folder=folder)
    assert resumed.is_done(tmp_path / "a.py", digest(b"new"))
    resumed.close(complete=True)


def test_a_long_run_says_how_far_it_is_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    reporter = Reporter(2, json=False, diff=True, origin=False, quiet=False, clock=lambda: now[0])
    with reporter:
        for now[0], files in ((1.0, 0.1), (6.0, 0.5), (7.0, 0.6), (40.0, 1.0), (41.0, 2.0)):
            reporter.progress(files)
    assert capsys.readouterr().err.split("\n") == [
        "25% done, about 0:00:18 left",
        "50% done, about 0:00:40 left",
        "",
    ]
