"""The adapters in the package: what they say of themselves, and that they make models of the installed bases."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from copydesk.adapters.adapter_file import read_adapter
from copydesk.adapters.merge import merge
from copydesk.adapters.tokens import extend, format_tokens
from copydesk.decode.choice_settings import BY_MODEL, STANDARD_SETTINGS
from copydesk.editor import Editor
from copydesk.models.installed import CODER, RECORD, STANDARD, adapter_of, catalogue_name
from copydesk.models.plain_config import plain_config
from copydesk.prompting.edit_format import EditFormat
from copydesk.request import EditRequest
from copydesk.serving.loaded_model import settings_of
from copydesk_server.model_store.catalogue import MergedEntry, entry
from copydesk_server.model_store.convert import installed_digests

pytestmark = pytest.mark.slow

ADAPTER = adapter_of(STANDARD)
TEXT = "import os\n\n\ndef total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n"


@pytest.mark.parametrize("name", [STANDARD, CODER])
def test_it_says_what_it_belongs_to_and_stays_small(name: str) -> None:
    path = adapter_of(name)
    state = read_adapter(path).state
    listed = entry(name)
    assert isinstance(listed, MergedEntry)
    assert state.base == entry(listed.base).tensors_sha256
    assert state.tokens == format_tokens(EditFormat.from_dict(state.format))
    assert state.requests > 0
    assert path.stat().st_size <= 12 << 20
    card = (path.parent / "README.md").read_text("utf-8")
    assert state.base in card
    assert f"{state.requests:,} requests" in card


@pytest.mark.parametrize("name", [STANDARD, CODER])
def test_the_catalogue_is_the_adapters(name: str) -> None:
    listed = entry(name)
    assert isinstance(listed, MergedEntry)
    digest = hashlib.sha256(adapter_of(name).read_bytes()).hexdigest()
    assert listed.adapter_sha256 == digest, f"python tools/adapter_digests.py {name}"
    assert listed.base == f"{name}-base"


def test_merged_with_its_base_it_is_the_catalogues_model(standard_base: Path, tmp_path: Path) -> None:
    made = merge(standard_base, read_adapter(ADAPTER), tmp_path)
    listed = entry("standard")
    assert installed_digests(made) == {
        "tensors_sha256": listed.tensors_sha256,
        "tokenizer_sha256": listed.tokenizer_sha256,
    }
    tokenizer = Tokenizer.from_file(str(standard_base / "tokenizer.json"))
    extend(tokenizer, EditFormat.from_dict(read_adapter(ADAPTER).state.format))
    assert json.loads(Tokenizer.from_file(str(made / "tokenizer.json")).to_str()) == json.loads(
        tokenizer.to_str()
    )
    assert plain_config(made) is not None  # so that it loads without transformers


def test_the_installed_model_is_the_default(standard: Path) -> None:
    listed = entry("standard")
    assert installed_digests(standard)["tensors_sha256"] == listed.tensors_sha256
    with Editor.load(device="cpu", warm=False) as editor:
        assert editor.loaded_model.model.name == "standard"
        request = EditRequest(
            scope=[(4, 8)], instruction="rename result to total", narrow=False, max_tokens=16
        )
        assert editor.open("a.py", TEXT).edit(request).counts.forwards > 0


def test_with_its_base_it_edits_inside_the_scope(standard_base: Path, tmp_path: Path) -> None:
    adapter = read_adapter(ADAPTER)
    tokenizer = Tokenizer.from_file(str(standard_base / "tokenizer.json"))
    assert extend(tokenizer, EditFormat.from_dict(adapter.state.format)) == adapter.state.tokens
    with Editor.load(merge(standard_base, adapter, tmp_path), device="cpu", warm=False) as editor:
        request = EditRequest(
            scope=[(4, 8)], instruction="rename result to total_price", narrow=False, max_tokens=64
        )
        result = editor.open("a.py", TEXT).edit(request)
    assert result.program.resolve(TEXT).startswith("import os\n\n\n")
    assert result.counts.forwards > 0


def test_the_installed_coder_chooses_among_edits(coder: Path) -> None:
    assert installed_digests(coder)["tensors_sha256"] == entry("coder").tensors_sha256
    with Editor.load("coder", device="cpu", warm=False) as editor:
        request = EditRequest(scope=[(4, 8)], instruction="result should be called total_price")
        result = editor.open("a.py", TEXT).edit(request)
        assert editor.loaded_model.choice == BY_MODEL["coder"]
    assert result.program.resolve(TEXT) == TEXT.replace("result", "total_price")


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ('{"entry": {"name": "coder"}}', "coder"),
        ('{"entry": {"name": 3}}', None),
        ('{"entry": []}', None),
        ("[" * 100_000, None),
        (None, None),
    ],
)
def test_whose_settings_a_directory_chooses_with(
    record: str | None, name: str | None, tmp_path: Path
) -> None:
    if record is not None:
        (tmp_path / RECORD).write_text(record)
    assert catalogue_name(tmp_path) == name
    assert settings_of(tmp_path) == (STANDARD_SETTINGS if name is None else BY_MODEL[name])
