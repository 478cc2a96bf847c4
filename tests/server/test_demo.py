"""The demo does what it says: the real server, the real linter, the embedded model; and the view it draws."""

from __future__ import annotations

import io
import subprocess
import sys

from rich.console import Console

from copydesk.program import Copy, Gen, Program
from copydesk_server.program_view import show


def test_the_project_is_mended_and_every_file_parses() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "copydesk_server", "demo"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Undefined name `valeu`" in done.stdout
    assert "+        total += value\n" in done.stdout
    assert "findings fixed and confirmed" in done.stdout


def test_a_view_of_what_is_near_a_change() -> None:
    document = "".join(f"line {n}\n" for n in range(1, 31))
    program = Program((Copy(1, 10), Gen("new\n"), Copy(11, 20), Copy(23, 30)))
    out = io.StringIO()
    show(program, document, Console(file=out, width=80, highlight=False, markup=False, emoji=False), around=1)
    shown = [line.split("│")[1].strip() for line in out.getvalue().split("\n") if "│" in line]
    assert shown == ["line 10", "new", "line 11", "line 20", "line 23"]
    assert out.getvalue().count("⋮") == 2
