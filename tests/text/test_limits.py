"""Texts beyond the limits: refused by bytes, in words, before they are parsed or tokenised."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from copydesk.editor import Editor
from copydesk.errors import ContextLengthError, DocumentTooLargeError
from copydesk.request import EditRequest
from copydesk.text.document import Position
from copydesk.text.limits import Limits, byte_count
from desks import editor, settle

SMALL = Limits(document_bytes=1000, line_bytes=200, page_bytes=300)
GROWTH = 512 << 20
ATTACKS = """
import json, re, psutil
from pathlib import Path
from copydesk.text.document import Position
from copydesk.editor import Editor
from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic, EditRequest

texts = [f"x = 1\\ny = '{'a' * (megabytes << 20)}'\\nz = None\\n" for megabytes in (3, 5, 20, 50)]
texts.append("if a == 0:\\n    pass\\n" + "".join(f"elif a == {k}:\\n    pass\\n" for k in range(50_000)))
texts.append("x = " + "(" * 50_000 + ")" * 50_000 + "\\n")
texts.append("".join(f"{'é' * 60_000}\\n" for _ in range(30)))
with Editor.load("mini", device="cpu", warm=False) as editor:
    resting, said = psutil.Process().memory_info().rss, []
    for text in texts:
        try:
            document = editor.open("a.py", text)
            while editor.warm_step():
                pass
            found = Diagnostic(Position(1, 1), Position(1, 3), "Undefined name `a`", "F821", "Ruff")
            said.append(document.edit(EditRequest(diagnostics=[found])).status)
            document.close()
        except CopydeskError as error:
            said.append(type(error).__name__)
    # Not getrusage's: that begins at what the process was forked from.
    peak = int(re.search("VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    print(json.dumps([peak - resting, said]))
"""


def limited(limits: Limits = SMALL) -> Editor:
    return Editor(editor().loaded_model, warm=False, limits=limits)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x\n" * 501, "the document has 1 KB"),
        ("é" * 501, "the document has 1 KB"),
        ("ok\n" + "x" * 201, "line 2 has 0 KB"),
        ("ok\n\ud800" + "x" * 199, "line 2 has"),
        ("ok\n" + "é" * 101, "line 2 has"),
    ],
)
def test_what_is_too_large_is_not_opened(text: str, words: str) -> None:
    desk = limited()
    with pytest.raises(DocumentTooLargeError) as caught:
        desk.open("a.py", text)
    assert words in str(caught.value)
    assert desk.documents == {}


def test_the_limits_are_exact() -> None:
    desk = limited()
    assert len(desk.open("a.py", ("x" * 199 + "\n") * 5).text) == 1000
    assert byte_count("é\ud800a") == 6
    with pytest.raises(DocumentTooLargeError):
        desk.open("a.py", ("x" * 199 + "\n") * 5 + "x")


def test_a_splice_is_refused_and_changes_nothing() -> None:
    desk = limited()
    document = desk.open("a.py", "x = 1\n" * 160)
    start = Position(0, 0)
    for new in ("y" * 50, "y" * 201 + "\n"):
        before = document.text, document.version
        with pytest.raises(DocumentTooLargeError):
            document.splice(start, start, new)
        assert (document.text, document.version) == before
    for _ in range(100):  # what is deleted counts
        document.splice(start, Position(1, 0), "y" * 20 + "\n")
        document.splice(start, Position(1, 0), "")
        document.splice(start, start, "x = 1\n")
    assert len(document.text) == 960


def test_lines_no_context_holds_are_not_tokenised(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = limited()
    document = desk.open("a.txt", ("x" * 150 + "\n") * 3)
    monkeypatch.setattr(
        type(desk.loaded_model.codec), "line", lambda *_: pytest.fail("it was tokenised"), raising=True
    )
    settle(desk)
    with pytest.raises(ContextLengthError, match="the lines around the request"):
        document.edit(EditRequest(scope=[(1, 1)]))


def test_code_nested_too_deeply_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = editor()
    document = desk.open("a.py", "x = 1\n")

    def deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("copydesk.editor.make_plan", deep)
    with pytest.raises(DocumentTooLargeError, match="nested"):
        document.edit(EditRequest(scope=[(1, 1)]))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures as Linux does")
def test_attacks_leave_the_engine_small() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ATTACKS],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=True,
    )
    grown, said = json.loads(done.stdout)
    assert said[:4] == ["DocumentTooLargeError"] * 4
    assert said[-1] == "ContextLengthError"
    assert grown < GROWTH, (grown, said)
