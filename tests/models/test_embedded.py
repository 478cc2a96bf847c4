"""The embedded model: there, whole, small, and through the facade it edits. How well is for `copydesk eval` to say."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from copydesk.editor import Editor
from copydesk.prompting.edit_format import EditFormat
from copydesk.request import Diagnostic, EditRequest
from copydesk.serving.loaded_model import EMBEDDED
from copydesk.text.document import Position

MOST_BYTES = 48 << 20
TEXT = """\
import json
import os


def read(path, default=None):
    if default == None:
        default = {}
    with open(path) as file:
        return json.load(file)
"""


@pytest.fixture(scope="module")
def desk() -> Iterator[Editor]:
    with Editor.load("mini", device="cpu", warm=False) as editor:
        yield editor


def test_it_is_small_and_says_what_it_is() -> None:
    assert sum(file.stat().st_size for file in EMBEDDED.iterdir()) <= MOST_BYTES
    card = (EMBEDDED / "README.md").read_text(encoding="utf-8")
    for part in ("## Data", "Licence", "heldout"):
        assert part in card
    assert EditFormat.load(EMBEDDED).kind == "lines"
    assert json.loads((EMBEDDED / "config.json").read_text())["architectures"] == ["Qwen2ForCausalLM"]


def _fix(desk: Editor, line: int, first: int, last: int, code: str, message: str) -> str:
    document = desk.open("a.py", TEXT)
    diagnostic = Diagnostic(Position(line, first), Position(line, last), message, code, "Ruff")
    result = document.edit(EditRequest(diagnostics=[diagnostic]))
    document.close()
    assert result.status in ("edited", "unchanged", "refused")
    return result.text


def test_it_mends_a_comparison(desk: Editor) -> None:
    fixed = _fix(desk, 5, 18, 22, "E711", "Comparison to `None` should be `cond is None`")
    assert fixed == TEXT.replace("== None", "is None")


def test_it_drops_an_unused_import(desk: Editor) -> None:
    assert _fix(desk, 1, 7, 9, "F401", "`os` imported but unused") == TEXT.replace("import os\n", "")


def test_the_same_request_gives_the_same_edit(desk: Editor) -> None:
    first, second = (_fix(desk, 1, 7, 9, "F401", "`os` imported but unused") for _ in range(2))
    assert first == second
