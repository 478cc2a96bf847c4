"""A model directory as a GGUF file: what is read back is what was written, in the layout of llama.cpp that transformers reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

import gguf_files
from copydesk_server.cli import main
from copydesk_server.errors import ModelStoreError
from copydesk_server.model_store import convert, gguf_tokenizer, gguf_weights
from copydesk_server.model_store.gguf_export import export_gguf


@pytest.fixture(scope="module", params=["llama", "qwen2"])
def directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = gguf_files.make_source(tmp_path_factory.mktemp("source"), arch=request.param)
    made = tmp_path_factory.mktemp("made")
    convert.convert(source.gguf, source.entry, made, lambda *_: None)
    return made


def read(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor], dict[str, Any]]:
    reader = gguf.GGUFReader(path)
    said = gguf_weights.metadata(reader)
    config = gguf_weights.model_config(said, tied=True)
    return config, gguf_weights.model_tensors(reader, config, lambda *_: None), said


@pytest.mark.parametrize("precision", ["bf16", "f16", "f32"])
def test_what_is_written_is_read_back(directory: Path, tmp_path: Path, precision: str) -> None:
    target = tmp_path / "model.gguf"
    said: list[tuple[int, int]] = []
    export_gguf(directory, target, "tiny", precision, lambda done, total: said.append((done, total)))
    config, tensors, metadata = read(target)
    assert config == json.loads((directory / "config.json").read_text("utf-8"))
    before = load_file(directory / "model.safetensors")
    assert tensors.keys() == before.keys()
    for name, tensor in before.items():
        assert torch.equal(tensors[name], tensor), name
    assert gguf_tokenizer.tokenizer_json(metadata) == json.loads(
        (directory / "tokenizer.json").read_text("utf-8")
    )
    there = json.loads((directory / "tokenizer_config.json").read_text("utf-8"))
    assert gguf_tokenizer.tokenizer_config(metadata) == there
    assert said[-1][0] == said[-1][1] == len(before)


def test_transformers_reads_the_same_model(directory: Path, tmp_path: Path) -> None:
    """Its reader undoes llama.cpp's order of rows by itself."""
    export_gguf(directory, tmp_path / "model.gguf", "tiny", "f32", lambda *_: None)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file="model.gguf", dtype=torch.float32)
    for name, tensor in load_file(directory / "model.safetensors").items():
        assert torch.equal(theirs.state_dict()[name], tensor.float()), name


def test_eight_bits_are_near(directory: Path, tmp_path: Path) -> None:
    export_gguf(directory, tmp_path / "model.gguf", "tiny", "q8_0", lambda *_: None)
    _, tensors, _ = read(tmp_path / "model.gguf")
    for name, tensor in load_file(directory / "model.safetensors").items():
        assert (tensors[name].float() - tensor.float()).abs().max() <= tensor.float().abs().max() / 100, name


def test_added_tokens_keep_their_ids(directory: Path) -> None:
    tokenizer = json.loads((directory / "tokenizer.json").read_text("utf-8"))
    size = len(tokenizer["model"]["vocab"])
    tokenizer["added_tokens"].append({"id": size + 1, "content": "<copy>", "special": True})
    said = gguf_tokenizer.gguf_tokenizer(tokenizer, {}, size + 2)
    tokens, kinds = said["tokenizer.ggml.tokens"], said["tokenizer.ggml.token_type"]
    assert isinstance(tokens, list)
    assert isinstance(kinds, list)
    assert (tokens[size + 1], kinds[size + 1], kinds[size]) == (
        "<copy>",
        gguf.TokenType.CONTROL,
        gguf.TokenType.UNUSED,
    )


def test_what_cannot_be_exported_is_said_and_nothing_is_left(directory: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "model.gguf"
    other = tmp_path / "other"
    other.mkdir()
    for path in directory.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    config = json.loads((other / "config.json").read_text("utf-8"))

    def refused(match: str) -> None:
        with pytest.raises(ModelStoreError, match=match):
            export_gguf(other, target, "tiny", "bf16", lambda *_: None)
        assert not target.parent.exists() or not list(target.parent.iterdir())

    tensors = load_file(other / "model.safetensors")
    save_file({**tensors, "more": torch.zeros(1)}, other / "model.safetensors")
    refused("holds more, which such a model has not")
    (other / "model.safetensors").write_bytes(b"no tensors")
    refused("is damaged")
    (other / "config.json").write_text(json.dumps(config | {"rope_scaling": {"type": "linear"}}), "utf-8")
    refused("scales its rotary embedding")
    (other / "config.json").write_text(json.dumps(config | {"model_type": "gpt2"}), "utf-8")
    refused("only plain Llama and Qwen2 models")
    (other / "config.json").unlink()
    refused("cannot be read")


def test_the_command(directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "model.gguf"
    assert main(["model", "export", str(directory), "--gguf", str(target), "--quiet"]) == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert read(target)[0]["num_hidden_layers"] == gguf_files.LAYERS
    assert main(["model", "export", "no-such-model", "--gguf", str(target)]) == 2
    assert "no-such-model is not installed" in capsys.readouterr().err
