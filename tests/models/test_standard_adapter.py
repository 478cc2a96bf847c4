"""The adapter in the package: what it says of itself, and that it makes a model of the installed base."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

import copydesk
from copydesk.adapters.adapter_file import FILE_NAME, read_adapter
from copydesk.adapters.merge import merge
from copydesk.adapters.tokens import extend, format_tokens
from copydesk.editor import Editor
from copydesk.prompting.edit_format import EditFormat
from copydesk.request import EditRequest
from copydesk_server.model_store.catalogue import entry

FOLDER = Path(copydesk.__file__).parent / "models" / "standard"
TEXT = "import os\n\n\ndef total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n"


def test_it_says_what_it_belongs_to_and_stays_small() -> None:
    state = read_adapter(FOLDER).state
    assert state.base == entry("standard-base").tensors_sha256
    assert state.tokens == format_tokens(EditFormat.from_dict(state.format))
    assert state.requests > 0
    assert state.position
    assert (FOLDER / FILE_NAME).stat().st_size <= 12 << 20
    card = (FOLDER / "README.md").read_text("utf-8")
    assert state.base in card
    assert f"{state.requests:,} requests" in card


def test_with_its_base_it_edits_inside_the_scope(standard_base: Path, tmp_path: Path) -> None:
    adapter = read_adapter(FOLDER)
    tokenizer = Tokenizer.from_file(str(standard_base / "tokenizer.json"))
    assert extend(tokenizer, EditFormat.from_dict(adapter.state.format)) == adapter.state.tokens
    with Editor.load(merge(standard_base, adapter, tmp_path), device="cpu", warm=False) as editor:
        request = EditRequest(
            scope=[(4, 8)], instruction="rename result to total_price", narrow=False, max_tokens=64
        )
        result = editor.open("a.py", TEXT).edit(request)
    assert result.program.resolve(TEXT).startswith("import os\n\n\n")
    assert result.counts.forwards > 0
