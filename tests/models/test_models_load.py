"""Loading from a directory: what comes out, and the named errors for what cannot."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gguf
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, MambaConfig
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from copydesk.errors import ModelError, TokenizerError
from copydesk.models.feed import Feed
from copydesk.models.generic import GenericModel
from copydesk.models.llama import LlamaModel
from copydesk.models.load import choose_dtype, load, read_config
from copydesk.models.plain_config import plain_config
from copydesk.models.rope import rope_frequencies, rope_limit
from copydesk.models.weights import Shape, supports
from copydesk.serving.loaded_model import EMBEDDED
from copydesk_server.model_store import gguf_weights
from gguf_files import write_gguf
from tiny_models import FAMILY, OTHERS, transformers_model

IDS = list(range(40, 60))


def saved(name: str, directory: Path, **options: object) -> Path:
    transformers_model(name).save_pretrained(directory, **options)
    (directory / "tokenizer.json").write_text("{}")
    return directory


@pytest.mark.parametrize("name", [*FAMILY, *OTHERS])
def test_loads_what_transformers_saved(name: str, tmp_path: Path) -> None:
    model = load(saved(name, tmp_path), device="cpu").model
    assert isinstance(model, LlamaModel if name in FAMILY else GenericModel)
    assert (model.vocab_size, model.dtype, model.name) == (300, torch.float32, tmp_path.name)
    with torch.no_grad():
        expected = transformers_model(name)(torch.tensor([IDS])).logits[0]
    (found,) = model.forward([Feed(model.new_row(20), 0, IDS, range(20), None, range(20))])
    assert (found - expected).abs().max().item() < 1e-4


def model_configuration(folder: Path) -> Path:
    """A folder with the configuration that the conversion of a GGUF file writes."""
    reader = gguf.GGUFReader(write_gguf(folder / "tiny.gguf"))
    config = gguf_weights.model_config(gguf_weights.metadata(reader), tied=True)
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize("converted", [False, True])
def test_a_plain_configuration_says_what_transformers_reads_in_it(converted: bool, tmp_path: Path) -> None:
    directory = model_configuration(tmp_path) if converted else EMBEDDED
    plain = plain_config(directory)
    assert plain is not None
    read = read_config(directory)
    assert Shape.of(plain) == Shape.of(read)
    assert (supports(plain), rope_limit(plain)) == (supports(read), rope_limit(read))
    ours, theirs = rope_frequencies(plain), rope_frequencies(read)
    assert torch.equal(ours[0], theirs[0])
    assert ours[1] == theirs[1]
    for name in ("hidden_size", "intermediate_size", "vocab_size", "tie_word_embeddings"):
        assert getattr(plain, name) == getattr(read, name)
    assert choose_dtype("auto", torch.device("cpu"), plain.dtype) == choose_dtype(
        "auto", torch.device("cpu"), read.dtype
    )


@pytest.mark.parametrize(
    "more",
    [
        {"model_type": "llama"},
        {"model_type": "llama", "attention_bias": False, "mlp_bias": False},
        {"model_type": None},
        {"use_sliding_window": True},
        {"use_sliding_window": 0},
        {"quantization_config": {}},
        {"head_dim": 64},
        {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1.0, "factor": 2.0}},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 1.0, "partial_rotary_factor": 0.5}},
        {"rope_parameters": {"rope_type": "linear", "rope_theta": 1.0}},
    ],
)
def test_any_other_configuration_is_left_to_transformers(more: dict[str, object], tmp_path: Path) -> None:
    said = json.loads((EMBEDDED / "config.json").read_text("utf-8"))
    path = tmp_path / "config.json"
    path.write_text(json.dumps(said))
    assert plain_config(tmp_path) is not None
    path.write_text(json.dumps({**said, **more}))
    assert plain_config(tmp_path) is None
    path.write_text(json.dumps({key: value for key, value in said.items() if key != "hidden_act"}))
    assert plain_config(tmp_path) is None
    for text in ("", "[]", "{"):
        path.write_text(text)
        assert plain_config(tmp_path) is None


@pytest.mark.parametrize("more", [{"attention_bias": True}, {"mlp_bias": 0}, {"use_sliding_window": False}])
def test_any_other_llama_is_left_to_transformers(more: dict[str, object], tmp_path: Path) -> None:
    path = model_configuration(tmp_path) / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))
    assert plain_config(tmp_path) is None


def test_the_embedded_model_loads_without_transformers() -> None:
    """Its import is most of what loading took."""
    script = (
        "import sys; from copydesk.editor import Editor; Editor.load('mini', device='cpu', warm=False).close();"
        "sys.exit('transformers' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_sharded_checkpoints(tmp_path: Path) -> None:
    saved("qwen3", tmp_path, max_shard_size="40KB")
    assert (tmp_path / "model.safetensors.index.json").is_file()
    model = load(tmp_path, device="cpu").model
    with torch.no_grad():
        expected = transformers_model("qwen3")(torch.tensor([IDS])).logits[0]
    (found,) = model.forward([Feed(model.new_row(20), 0, IDS, range(20), None, range(20))])
    assert (found - expected).abs().max().item() < 1e-4


def test_dtypes(tmp_path: Path) -> None:
    saved("qwen2", tmp_path)
    assert load(tmp_path, device="cpu", dtype="bf16").model.dtype == torch.bfloat16
    assert load(tmp_path, device="cpu", dtype="fp32").model.dtype == torch.float32
    with pytest.raises(ModelError, match="fp32 or bf16"):
        load(tmp_path, device="cpu", dtype="int4")
    cuda = torch.device("cuda")
    assert choose_dtype("auto", cuda, torch.float16) == torch.bfloat16
    assert choose_dtype("auto", cuda, "bfloat16") == torch.bfloat16
    assert choose_dtype("auto", cuda, torch.float32) == torch.float32
    assert choose_dtype("auto", torch.device("cpu"), torch.float16) == torch.float32


def test_bfloat16_is_chosen_on_cpus_that_multiply_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = torch.device("cpu")
    native = torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32
    for told, chosen in (
        ({"avx512_f": True, "avx512_vnni": True, "avx512_bf16": False, "amx_bf16": False}, torch.float32),
        ({"avx512_f": True, "avx512_bf16": True}, native),
        ({"amx_bf16": True}, native),
        ({"neon": True, "bf16": True}, native),
        ({"neon": True}, torch.float32),
    ):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda told=told: told)
        assert choose_dtype("auto", cpu, "bfloat16") == chosen, told
        assert choose_dtype("bf16", cpu, "bfloat16") == torch.bfloat16


def test_devices(tmp_path: Path) -> None:
    saved("qwen2", tmp_path)
    for device in ("abacus", "meta"):
        with pytest.raises(ModelError, match="unknown device"):
            load(tmp_path, device=device)
    if not torch.cuda.is_available():
        assert load(tmp_path).model.device.type == "cpu"
        with pytest.raises(ModelError, match="CUDA was asked for"):
            load(tmp_path, device="cuda")


def no_config(d: Path) -> None:
    (d / "config.json").unlink()


def broken_config(d: Path) -> None:
    (d / "config.json").write_text("{")


def unknown_architecture(d: Path) -> None:
    config = json.loads((d / "config.json").read_text())
    (d / "config.json").write_text(json.dumps({**config, "model_type": "abacus"}))


def code_of_its_own(d: Path) -> None:
    (d / "config.json").write_text(
        json.dumps(
            {"model_type": "abacus", "auto_map": {"AutoConfig": "run.Me", "AutoModelForCausalLM": "run.You"}}
        )
    )
    (d / "run.py").write_text("raise SystemExit('code of the model was run')")


def no_weights(d: Path) -> None:
    (d / "model.safetensors").unlink()


def pickled_weights_only(d: Path) -> None:
    torch.save(load_file(d / "model.safetensors"), d / "pytorch_model.bin")
    (d / "model.safetensors").unlink()


def truncated_weights(d: Path) -> None:
    data = (d / "model.safetensors").read_bytes()
    (d / "model.safetensors").write_bytes(data[: len(data) // 2])


def empty_weights(d: Path) -> None:
    (d / "model.safetensors").write_bytes(b"")


def nonsense_weights(d: Path) -> None:
    (d / "model.safetensors").write_bytes(b"\xff" * 4096)


def lying_header(d: Path) -> None:
    data = (d / "model.safetensors").read_bytes()
    (d / "model.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + data[8:])


def missing_weight(d: Path) -> None:
    tensors = load_file(d / "model.safetensors")
    del tensors[next(name for name in tensors if "mlp" in name and name.endswith("weight"))]
    save_file(tensors, d / "model.safetensors", metadata={"format": "pt"})


def wrong_shape(d: Path) -> None:
    tensors = load_file(d / "model.safetensors")
    name = next(name for name in tensors if "mlp" in name and name.endswith("weight"))
    tensors[name] = tensors[name][:-1].contiguous()
    save_file(tensors, d / "model.safetensors", metadata={"format": "pt"})


def broken_index(d: Path) -> None:
    (d / "model.safetensors.index.json").write_text('{"weight_map": 3}')


def missing_shard(d: Path) -> None:
    index = {"weight_map": {"model.norm.weight": "model-00001-of-00002.safetensors"}}
    (d / "model.safetensors.index.json").write_text(json.dumps(index))


def quantised(d: Path) -> None:
    config = json.loads((d / "config.json").read_text())
    (d / "config.json").write_text(
        json.dumps({**config, "quantization_config": {"quant_method": "gptq", "bits": 4}})
    )


@pytest.mark.parametrize("name", ["qwen2", "neox"])
@pytest.mark.parametrize(
    "damage",
    [
        no_config,
        broken_config,
        unknown_architecture,
        code_of_its_own,
        no_weights,
        pickled_weights_only,
        truncated_weights,
        empty_weights,
        nonsense_weights,
        lying_header,
        missing_weight,
        wrong_shape,
        broken_index,
        missing_shard,
        quantised,
    ],
    ids=lambda damage: damage.__name__,
)
def test_bad_directories_are_named_errors(name: str, damage: Callable[[Path], None], tmp_path: Path) -> None:
    damage(saved(name, tmp_path))
    with pytest.raises(ModelError):
        load(tmp_path, device="cpu")


def test_a_directory_without_a_tokenizer(tmp_path: Path) -> None:
    saved("qwen2", tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(TokenizerError, match="no tokenizer"):
        load(tmp_path, device="cpu")


def test_a_place_that_is_no_directory(tmp_path: Path) -> None:
    for source in (tmp_path / "none", str(tmp_path / "none"), "./none", "../none", "./a/b"):
        with pytest.raises(ModelError, match="no model directory"):
            load(source)


def test_state_that_cannot_be_rolled_back_is_refused(tmp_path: Path) -> None:
    config = MambaConfig(hidden_size=16, num_hidden_layers=1, vocab_size=30, bos_token_id=0, eos_token_id=0)
    model = AutoModelForCausalLM.from_config(config)
    model.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="rolled back"):
        load(tmp_path, device="cpu")


def test_layer_types_that_cannot_be_rolled_back_are_refused() -> None:
    model = transformers_model("neox")
    model.config.layer_types = ["full_attention", "linear_attention"]
    try:
        with pytest.raises(ModelError, match="linear_attention"):
            GenericModel(model, name="x")
    finally:
        del model.config.layer_types


def test_loading_touches_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    for name in ("qwen2", "neox"):
        load(saved(name, tmp_path / name), device="cpu")


def test_llama_without_silu_goes_the_general_way(tmp_path: Path) -> None:
    config = LlamaConfig(
        vocab_size=300,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=1,
        num_attention_heads=4,
        hidden_act="gelu",
        max_position_embeddings=128,
    )
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    assert isinstance(load(tmp_path, device="cpu").model, GenericModel)
