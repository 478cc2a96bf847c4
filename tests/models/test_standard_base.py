"""SmolLM2's tokenizer as `copydesk model get standard-base` restores it, and the engine's laws on it.

`smollm2_tokens.json` holds texts and their ids, recorded from a `tokenizer.json` whose digest is that of the published one
(HuggingFaceTB/SmolLM2-135M-Instruct); `reference_bpe.py` finds the same. What needs the model is skipped where it is not there.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

import gguf_files
import vocabularies
from copydesk.models.load import load
from copydesk_server.model_store import catalogue, convert
from reference_bpe import ReferenceBPE
from token_streams import check_streams

pytestmark = pytest.mark.slow

RECORDED: dict[str, list[int]] = json.loads(
    (Path(__file__).parent / "smollm2_tokens.json").read_text("utf-8")
)
UNSPELLED = frozenset(b"\x04\x06\x13\x14\x16\x1d\xc0\xc1\xf1\xf2\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff")
"""Bytes that SmolLM2 has no token for: some control characters, planes 4 to 11, and what no UTF-8 holds."""
PUBLISHED = "9ca9acddb6525a194ec8ac7a87f24fbba7232a9a15ffa1af0c1224fcd888e47c"
"""SHA-256 of `tokenizer.json` of HuggingFaceTB/SmolLM2-135M-Instruct, revision 12fd25f77366fa6b3b4b768ec3050bf629380bac."""


def test_the_reference_agrees_with_the_library_on_a_small_tokenizer(tmp_path: Path) -> None:
    gguf_files.trained_tokenizer().save(str(tmp_path / "tokenizer.json"))
    reference = ReferenceBPE(tmp_path / "tokenizer.json")
    special = gguf_files.SPECIAL
    for text in RECORDED:
        if not any(name in text for name in special):
            assert reference.encode(text) == gguf_files.trained_tokenizer().encode(text).ids, text


def test_the_catalogue_records_the_published_tokenizer() -> None:
    assert catalogue.entry("standard-base").tokenizer_sha256 == PUBLISHED


def test_the_installed_model_is_the_catalogues(standard_base: Path) -> None:
    entry = catalogue.entry("standard-base")
    assert convert.installed_digests(standard_base) == {
        "tensors_sha256": entry.tensors_sha256,
        "tokenizer_sha256": entry.tokenizer_sha256,
    }


def test_texts_have_the_recorded_tokens(standard_base: Path) -> None:
    vocabulary = vocabularies.standard_base()
    assert {text: vocabulary.encode(text) for text in RECORDED} == RECORDED
    assert len(RECORDED) > 150


def test_the_reference_has_the_recorded_tokens(standard_base: Path) -> None:
    reference = ReferenceBPE(standard_base / "tokenizer.json")
    assert {text: reference.encode(text) for text in RECORDED} == RECORDED


@given(
    text=st.text(
        st.one_of(st.characters(codec="utf-8"), st.sampled_from("0123456789 \n\tabc'_=")), max_size=60
    )
)
def test_bytes_of_tokens_spell_the_text(standard_base: Path, text: str) -> None:
    vocabulary = vocabularies.standard_base()
    ids = vocabulary.encode(text)
    spelled = b"".join(vocabulary.token_bytes[i] for i in ids)
    assert spelled == bytes(byte for byte in text.encode() if byte not in UNSPELLED)
    assert vocabulary.decode(ids) == spelled.decode("utf-8", "replace")


def test_these_bytes_alone_have_no_token(standard_base: Path) -> None:
    single = {spelled[0] for spelled in vocabularies.standard_base().token_bytes if len(spelled) == 1}
    assert set(range(256)) - single == UNSPELLED


def test_every_digit_is_a_token_of_its_own(standard_base: Path) -> None:
    vocabulary = vocabularies.standard_base()
    spelled = [vocabulary.token_bytes[token] for ids in RECORDED.values() for token in ids]
    digits = {token for token in spelled if any(byte in b"0123456789" for byte in token)}
    assert digits == {b"%d" % digit for digit in range(10)}


def test_transformers_reads_the_same_tokenizer(standard_base: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(standard_base, local_files_only=True)
    names = vocabularies.standard_base().specials
    for text, ids in RECORDED.items():
        if not any(name in text for name in names):
            assert tokenizer(text).input_ids == ids, text
    said = tokenizer.apply_chat_template(
        [{"role": "user", "content": "hi"}], tokenize=False, add_generation_prompt=True
    )
    assert said.endswith("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")
    assert tokenizer.eos_token_id == names["<|im_end|>"] == 2


def test_the_engine_loads_it(standard_base: Path) -> None:
    model = load("standard-base", device="cpu", dtype="bf16").model
    assert (model.vocab_size, model.name) == (49152, "standard-base")


@pytest.mark.parametrize("name", vocabularies.INSTALLED)
def test_token_streams_are_those_of_training(standard_base: Path, name: str) -> None:
    check_streams(name, 100)
