"""A GGUF file as a model directory: the tensors transformers reads in it, the tokenizer it was made with, the same forward."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

import gguf_files
from copydesk.models.feed import Feed
from copydesk.models.llama import LlamaModel
from copydesk.models.load import load
from copydesk.models.tensor_digest import tensors_sha256
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import convert


@pytest.fixture(scope="module", params=["llama", "qwen2"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> gguf_files.Source:
    return gguf_files.make_source(tmp_path_factory.mktemp("source"), arch=request.param)


@pytest.fixture(scope="module")
def directory(source: gguf_files.Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    convert.convert(source.gguf, source.entry, made, lambda *_: None)
    return made


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a Llama model, with SmolLM2's first steps of tokenisation."""
    folder = tmp_path_factory.mktemp("llama")
    converted(folder)
    return folder / "made"


@pytest.fixture(scope="module")
def reference(source: gguf_files.Source) -> Any:
    """What transformers makes of the file."""
    return AutoModelForCausalLM.from_pretrained(
        source.gguf.parent, gguf_file=source.gguf.name, dtype=torch.float32
    )


def test_tensors_are_those_transformers_reads(directory: Path, reference: Any) -> None:
    found = load_file(directory / "model.safetensors")
    expected = {name: tensor for name, tensor in reference.state_dict().items() if name != "lm_head.weight"}
    assert found.keys() == expected.keys()
    for name, tensor in found.items():
        assert tensor.dtype == torch.bfloat16
        assert torch.equal(tensor, expected[name].to(torch.bfloat16)), name


def test_tensors_are_those_that_were_quantised(source: gguf_files.Source, directory: Path) -> None:
    """Within the quantisation's error: a row in another's place is far outside it."""
    for name, tensor in load_file(directory / "model.safetensors").items():
        original = torch.from_numpy(gguf_files.weights(source.arch)[name])
        assert (tensor.float() - original).abs().max() < 0.08, name


def test_the_loaded_model_computes_what_transformers_computes(directory: Path, reference: Any) -> None:
    model = load(directory, device="cpu", dtype="fp32").model
    assert isinstance(model, LlamaModel)
    ids = list(range(30, 80))
    rounded = AutoModelForCausalLM.from_config(reference.config)
    rounded.load_state_dict(reference.to(torch.bfloat16).to(torch.float32).state_dict())
    with torch.no_grad():
        expected = rounded.eval()(torch.tensor([ids])).logits[0]
    (found,) = model.forward([Feed(model.new_row(50), 0, ids, range(50), None, range(50))])
    assert (found - expected).abs().max().item() < 1e-4
    assert expected.abs().max().item() > 0.1


@given(
    text=st.text(
        st.one_of(st.characters(codec="utf-8"), st.sampled_from("0123456789 \n\tabc'_=")), max_size=60
    )
)
def test_the_tokenizer_is_the_one_the_file_was_made_with(llama: Path, text: str) -> None:
    expected = gguf_files.trained_tokenizer().encode(text).ids
    assert _tokenizer(llama).encode(text).ids == expected


_LOADED: dict[Path, Tokenizer] = {}


def _tokenizer(directory: Path) -> Tokenizer:
    if directory not in _LOADED:
        _LOADED[directory] = Tokenizer.from_file(str(directory / "tokenizer.json"))
    return _LOADED[directory]


def test_every_digit_stands_alone_and_special_tokens_are_data(llama: Path) -> None:
    vocabulary = HFVocabulary.from_directory(llama)
    spelled = [vocabulary.token_bytes[i] for i in vocabulary.encode("x12 = 345\n")]
    assert [b for b in spelled if b.strip().isdigit()] == [b"1", b"2", b"3", b"4", b"5"]
    for index, name in enumerate(gguf_files.SPECIAL):
        assert vocabulary.special(name) == index
        assert index not in vocabulary.encode(f"a {name} b")


def test_transformers_reads_the_directory(llama: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(llama, local_files_only=True)
    text = "for i in range(1024):\n    print(i, 'é')\n"
    assert tokenizer(text).input_ids == gguf_files.trained_tokenizer().encode(text).ids
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (1, 2, 2)
    said = tokenizer.apply_chat_template([{"role": "user", "content": "hi"}], tokenize=False)
    assert said == "<|im_start|>hi<|im_end|>"
    model = AutoModelForCausalLM.from_pretrained(llama, local_files_only=True)
    assert model.config.rms_norm_eps == 1e-5
    assert model.config.rope_parameters["rope_theta"] == 100000.0
    assert model.lm_head.weight is model.model.embed_tokens.weight


def test_the_digest_of_tensors_is_of_names_types_shapes_and_values(llama: Path) -> None:
    tensors = load_file(llama / "model.safetensors")
    digest = tensors_sha256(tensors)
    assert tensors_sha256(dict(reversed(tensors.items()))) == digest
    name = "model.norm.weight"
    others = (
        {**tensors, name: tensors[name] * 2},
        {**tensors, name: tensors[name].float()},
        {**tensors, name: tensors[name].reshape(2, -1)},
        {k: v for k, v in tensors.items() if k != name},
        {k.replace(name, "model.other.weight"): v for k, v in tensors.items()},
    )
    assert len({digest, *map(tensors_sha256, others)}) == 6
    # A transposed view holds the same values in another order of memory.
    square = tensors["model.layers.0.self_attn.q_proj.weight"]
    assert tensors_sha256({"a": square.t().contiguous().t()}) == tensors_sha256({"a": square})


def converted(folder: Path, **changes: Any) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """The tensors and the configuration made of a file with these changes (`gguf_files.write_gguf`)."""
    source = gguf_files.make_source(folder, **changes)
    made = folder / "made"
    made.mkdir()
    convert.convert(source.gguf, source.entry, made, lambda *_: None)
    return load_file(made / "model.safetensors"), json.loads((made / "config.json").read_text("utf-8"))


def test_a_table_held_twice_is_read_in_its_finer_form(tmp_path: Path) -> None:
    for name in ("once", "twice"):
        (tmp_path / name).mkdir()
    once, _ = converted(tmp_path / "once", arch="qwen2")
    twice, config = converted(tmp_path / "twice", arch="qwen2", twice=1.0)
    assert config["tie_word_embeddings"]
    assert once.keys() == twice.keys()
    assert torch.equal(once["model.embed_tokens.weight"], twice["model.embed_tokens.weight"])


def test_another_output_layer_is_one_of_its_own(tmp_path: Path) -> None:
    tensors, config = converted(tmp_path, arch="qwen2", twice=1.5)
    assert not config["tie_word_embeddings"]
    ratio = tensors["lm_head.weight"].float() / tensors["model.embed_tokens.weight"].float()
    assert abs(float(ratio.nanmedian()) - 1.5) < 0.02


def test_rows_of_unused_tokens_are_left_out(tmp_path: Path) -> None:
    tensors, config = converted(tmp_path, arch="qwen2", unused=9)
    size = gguf_files.trained_tokenizer().get_vocab_size()
    assert (config["vocab_size"], len(tensors["model.embed_tokens.weight"])) == (size, size)
    assert _tokenizer(tmp_path / "made").get_vocab_size() == size


@given(
    text=st.text(
        st.one_of(st.characters(codec="utf-8"), st.sampled_from("0123456789 \n\r\tabcIT'_=.")), max_size=60
    )
)
def test_the_pattern_of_qwen2_is_transformers_own(
    qwen2_tokenizers: tuple[Tokenizer, Tokenizer], text: str
) -> None:
    """Of text that is normalised already: copydesk's normalises none, since what is copied stays as it is."""
    ours, theirs = qwen2_tokenizers
    text = unicodedata.normalize("NFC", text)
    assert ours.encode(text).ids == theirs.encode(text).ids


@pytest.fixture(scope="module")
def qwen2_tokenizers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tokenizer, Tokenizer]:
    """Of one file: copydesk's, and the one that transformers builds."""
    folder = tmp_path_factory.mktemp("qwen2")
    converted(folder, arch="qwen2", pre="qwen2")
    theirs = AutoTokenizer.from_pretrained(folder, gguf_file="tiny.gguf")
    return _tokenizer(folder / "made"), theirs.backend_tokenizer


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"arch": "gpt2"}, "gpt2 model, neither Llama nor Qwen2"),
    ({"scaling": gguf.RopeScalingType.YARN}, "scales its rotary embedding"),
    ({"drop": "model.layers.1.mlp.up_proj.weight"}, r"lacks model\.layers\.1\.mlp\.up_proj\.weight"),
    ({"add": "blk.0.attn_q.bias"}, r"holds a tensor blk\.0\.attn_q\.bias"),
    ({"arch": "qwen2", "add": "blk.0.attn_output.bias"}, r"holds a tensor blk\.0\.attn_output\.bias"),
    (
        {"arch": "qwen2", "drop": "model.layers.1.self_attn.v_proj.bias"},
        r"lacks model\.layers\.1\.self_attn\.v_proj\.bias",
    ),
    ({"add": "blk.2.attn_norm.weight"}, r"holds a tensor blk\.2\.attn_norm\.weight"),
    ({"model": "llama"}, "not a byte-level BPE"),
    ({"pre": "viking"}, "splits text as 'viking', which is not known"),
    ({"merges": ["no such"]}, "merges do not fit its tokens"),
    ({"merges": ["unspaced"]}, "merges do not fit its tokens"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_converted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    source = gguf_files.make_source(tmp_path, **changes)
    monkeypatch.setattr(convert, "compare", lambda *_: None)
    made = tmp_path / "made"
    made.mkdir()
    with pytest.raises(ModelStoreError, match=message):
        convert.convert(source.gguf, source.entry, made, lambda *_: None)


@pytest.mark.parametrize("size", [0, 3, 40, 5000])
def test_a_file_that_is_no_whole_gguf_is_refused(
    source: gguf_files.Source, tmp_path: Path, size: int
) -> None:
    path = tmp_path / "short.gguf"
    path.write_bytes(source.gguf.read_bytes()[:size])
    with pytest.raises(ModelStoreError, match="is not a GGUF file"):
        convert.convert(path, source.entry, tmp_path, lambda *_: None)
