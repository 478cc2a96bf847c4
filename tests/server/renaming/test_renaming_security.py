"""A hostile folder neither runs nor stalls a rename, nor is anything of it written down."""

from __future__ import annotations

import json
import os
import py_compile
import sys
from pathlib import Path
from typing import Any

import pytest

from copydesk_server.errors import RenameRefusedError
from copydesk_server.renaming.limits import Limits
from copydesk_server.renaming.process import rename
from copydesk_server.renaming.request import RenameRequest
from decoys import Trap
from lsp_client import LspClient

RUNS = "import pathlib\npathlib.Path({!r}).touch()\n"


def request(root: Path, **more: Any) -> RenameRequest:
    path = str(root / "a.py")
    given: dict[str, Any] = {"opened": {}, "line": 0, "column": 5, "new": "new", **more}
    return RenameRequest((str(root),), path=path, **given)


def hostile(root: Path, canary: Path) -> None:
    """A project in which all that a library could run, load or read would be noticed."""
    runs = RUNS.format(str(canary))
    interpreter = root / ".venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text(f"#!/bin/sh\ntouch {canary}\n")
    interpreter.chmod(0o755)
    (root / ".venv" / "pyvenv.cfg").write_text(f"home = {interpreter.parent}\n")
    (root / ".jedi").mkdir()
    settings = {
        "path": str(root),
        "environment_path": str(interpreter),
        "sys_path": [str(root)],
        "load_unsafe_extensions": True,
    }
    (root / ".jedi" / "project.json").write_text(json.dumps([1, settings]))
    for name in (
        "sitecustomize",
        "usercustomize",
        "jedi",
        "parso",
        "conftest",
        "gi",
        "json",
        "typing",
        "setup",
    ):
        (root / f"{name}.py").write_text(runs)
    (root / "hidden.py").write_text(runs)
    py_compile.compile(str(root / "hidden.py"), cfile=str(root / "hidden.pyc"))
    (root / "hidden.py").unlink()
    tag = sys.implementation.cache_tag
    (root / f"native.{tag}-x86_64-linux-gnu.so").write_bytes(b"\x7fELF")
    (root / "buildout.cfg").write_text("[buildout]\n")
    (root / "bin").mkdir()
    (root / "bin" / "script").write_text(f"#!{interpreter}\n{runs}")
    os.mkfifo(root / "pipe.py")
    (root / "huge.py").symlink_to("/dev/zero")
    (root / "loop").symlink_to(root)
    (root / "secret.py").symlink_to("/etc/passwd")
    (root / "a.py").write_text(
        f"{runs.splitlines()[0]}\ndef old():\n    pass\n\n\nimport hidden, native, gi, conftest, typing\n"
        "hidden.old, native.old, gi.old, conftest.old, typing.old\nold()\n"
    )


def test_nothing_of_the_folder_runs(tmp_path: Path) -> None:
    root, canary = tmp_path / "root", tmp_path / "canary"
    root.mkdir()
    hostile(root, canary)
    found = rename(request(root, line=1))
    assert not canary.exists()
    assert [(Path(file.path).name, len(file.places)) for file in found.files] == [("a.py", 2)]


def test_the_server_runs_nothing_of_the_folder(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    text = "import json, typing\n\n\ndef old(x: typing.Any):\n    return json.old, x.old\n\n\nold(1)\n"
    (trap.folder / "mine.py").write_text(text)
    uri = (trap.folder / "mine.py").as_uri()
    command = [sys.executable, str(trap.script), "lsp", "--device", "cpu"]
    with LspClient(command=command, cwd=trap.folder, env=trap.environment()) as client:
        client.ignore("textDocument/publishDiagnostics", "copydesk/status")
        client.settings = {"precompute": False, "requestTimeout": 100}
        client.initialize(encodings=["utf-16"], folders=[trap.folder])
        client.open(uri, text)
        place = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 5}, "newName": "new"}
        edit = client.request("textDocument/rename", place)
    assert [len(change["edits"]) for change in edit["documentChanges"]] == [2]
    assert trap.ran() == []
    assert trap.notes("path") == [], "the folder was looked in"
    assert trap.notes("program") == [], "the folder was looked in for a program"


def test_nothing_of_a_project_is_kept(tmp_path: Path) -> None:
    root, cache = tmp_path / "root", tmp_path / "cache"
    root.mkdir()
    (root / "a.py").write_text("def old(): pass\n")
    (root / "b.py").write_text(
        "from a import old\nimport typing\nimport c\nMARKED_TEXT: typing.Any = old, c.old\n''.old\n"
    )
    (root / "c.py").write_text("import a\nMARKED_TEXT = 1\nold = a.old\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    before = os.environ.get("TMPDIR")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        found = rename(request(root, cache_folder=str(cache)))
    assert [len(file.places) for file in found.files] == [1, 2, 1]
    assert os.environ.get("TMPDIR") == before
    assert list(temporary.iterdir()) == []
    kept = [file for file in cache.rglob("*") if file.is_file()]
    assert kept
    assert not any(b"MARKED_TEXT" in file.read_bytes() for file in kept)
    assert cache.stat().st_mode & 0o077 == 0
    assert not any(file.stat().st_mode & 0o022 for file in kept)


@pytest.mark.parametrize(
    "text", ["(" * 50_000, "[" * 5000 + "old" + "]" * 5000, "x = " + "-" * 100_000 + "old\n"]
)
def test_text_made_to_be_deep_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text("def old(): pass\n")
    (tmp_path / "b.py").write_text(f"from a import old\nold()\n{text}\n")
    with pytest.raises(RenameRefusedError):
        rename(request(tmp_path))


def test_time_is_limited(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def old(): pass\n")
    with pytest.raises(RenameRefusedError, match=r"did not end within 0\.01 seconds"):
        rename(request(tmp_path, limits=Limits(seconds=0.01)))
