"""Model directories nobody should load: each a small change to a good one, with words of what is said of it."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from special_files import a_socket, link_to_zeros, pipe, sparse

Damage = Callable[[Path], None]
HOSTILE: list[tuple[str, Damage, str]] = []
"""Name, what is done to the directory, and a part of the message."""

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
NORM = "model.norm.weight"


def said(part: str) -> Callable[[Damage], Damage]:
    def add(damage: Damage) -> Damage:
        HOSTILE.append((damage.__name__, damage, part))
        return damage

    return add


def both(name: str, damage: Damage, part: str) -> None:
    HOSTILE.append((name, damage, part))


# -- files ---------------------------------------------------------------------------------------------------------------

for _file in ("config.json", WEIGHTS, "tokenizer.json", "copydesk.json", "tokenizer_config.json", INDEX):
    for _put, _part in (
        (pipe, "a named pipe"),
        (a_socket, "a socket"),
        (link_to_zeros, "a device"),
        (sparse, "too large"),
    ):

        def _special(folder: Path, file: str = _file, put: Damage = _put) -> None:
            (folder / file).unlink(missing_ok=True)
            put(folder / file)

        both(f"{_file} is {_put.__name__}", _special, _part)


@said("a directory")
def config_is_a_directory(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()


@said("a named pipe")
def a_template_is_a_pipe(folder: Path) -> None:
    (folder / "additional_chat_templates").mkdir()
    pipe(folder / "additional_chat_templates" / "tool.jinja")


# -- the index ---------------------------------------------------------------------------------------------------------


def index(entries: dict[str, Any]) -> Damage:
    def damage(folder: Path) -> None:
        (folder / INDEX).write_text(json.dumps({"weight_map": entries}))

    return damage


for _name in (
    "/etc/shadow", "../outside.safetensors", "sub/x.safetensors", "x\n.safetensors", "config.json", "", "..",
    "C:\\x.safetensors", ["a"], None, 3, {"a": 1},
):  # fmt: skip
    both(f"index names {_name!r}", index({NORM: _name}), "not a")
both("index of nothing", index({}), "names no weights")
both("index of a missing file", index({NORM: "other.safetensors"}), "missing")
both("index of a missing weight", index({"absent": WEIGHTS}), "in no file")
both("index of many files", index({str(k): f"{k}.safetensors" for k in range(1001)}), "more than 1000")


@said("comes twice")
def a_weight_in_two_files(folder: Path) -> None:
    (folder / "other.safetensors").write_bytes((folder / WEIGHTS).read_bytes())
    index({"a": WEIGHTS, "b": "other.safetensors"})(folder)


@said("not an index")
def nested_index(folder: Path) -> None:
    (folder / INDEX).write_text("[" * 100_000)


# -- configuration -----------------------------------------------------------------------------------------------------


def config(**changes: Any) -> Damage:
    def damage(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return damage


for _key, _value, _part in (
    ("rms_norm_eps", "nan", "rms_norm_eps"),
    ("rms_norm_eps", float("nan"), "finite"),
    ("rms_norm_eps", float("inf"), "finite"),
    ("rms_norm_eps", -1e-6, "rms_norm_eps"),
    ("rms_norm_eps", True, "rms_norm_eps"),
    ("rope_parameters", {"rope_type": "default", "rope_theta": -1.0}, "rope_theta"),
    ("rope_parameters", {"rope_type": "default", "rope_theta": "1"}, "rope_theta"),
    ("rope_parameters", {"rope_type": ["x"], "rope_theta": 1.0}, "rope_type"),
    ("rope_parameters", {"rope_type": "abacus", "rope_theta": 1.0}, "rope"),
    ("rope_parameters", {"rope_type": "yarn", "rope_theta": 10.0}, "factor"),
    ("rope_parameters", {"rope_type": "linear", "rope_theta": 10.0, "factor": 0}, "factor"),
    ("rope_parameters", "x", "rope_parameters"),
    ("num_hidden_layers", 0, "num_hidden_layers"),
    ("num_hidden_layers", -1, "num_hidden_layers"),
    ("num_hidden_layers", 10**9, "num_hidden_layers"),
    ("num_hidden_layers", 3, "layers"),
    ("num_hidden_layers", "2", "num_hidden_layers"),
    ("num_attention_heads", 0, "num_attention_heads"),
    ("num_attention_heads", 5, "heads"),
    ("num_attention_heads", 32, "heads"),
    ("num_key_value_heads", 5, "heads"),
    ("head_dim", 7, "even"),
    ("head_dim", 1 << 40, "head_dim"),
    ("hidden_size", 64, "shape"),
    ("hidden_size", 2.5, "hidden_size"),
    ("hidden_size", None, "hidden_size"),
    ("hidden_size", [32], "hidden_size"),
    ("intermediate_size", 1 << 62, "intermediate_size"),
    ("vocab_size", 1 << 40, "vocab_size"),
    ("vocab_size", 301, "shape"),
    ("vocab_size", 10**30, "vocab_size"),
    ("max_position_embeddings", -1, "max_position_embeddings"),
    ("max_position_embeddings", 1e9, "max_position_embeddings"),
    ("tie_word_embeddings", "yes", "tie_word_embeddings"),
    ("model_type", ["qwen2"], "model_type"),
    ("model_type", None, "model_type"),
    ("dtype", "save", "dtype"),
    ("dtype", {"a": 1}, "dtype"),
    ("hidden_act", 3, "hidden_act"),
    ("layer_types", 3, "layer_types"),
    ("quantization_config", {"quant_method": "gptq"}, "quantised"),
):
    both(f"{_key} = {_value!r}", config(**{_key: _value}), _part)


@said("deep")
def deep_config(folder: Path) -> None:
    nested: Any = 1
    for _ in range(30):
        nested = {"a": nested}
    config(extra=nested)(folder)


@said("configuration")
def too_deep_for_json(folder: Path) -> None:
    (folder / "config.json").write_text('{"a":' * 100_000)


@said("values")
def long_config(folder: Path) -> None:
    config(extra=[0] * 200_000)(folder)


@said("no JSON object")
def config_is_a_list(folder: Path) -> None:
    (folder / "config.json").write_text("[]")


@said("configuration")
def config_is_no_text(folder: Path) -> None:
    (folder / "config.json").write_bytes(b"\xff\xfe{}")


# -- weights -----------------------------------------------------------------------------------------------------------


def weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Damage:
    def damage(folder: Path) -> None:
        tensors = load_file(folder / WEIGHTS)
        change(tensors)
        save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})

    return damage


def poisoned(name: str, value: float) -> Damage:
    def change(tensors: dict[str, torch.Tensor]) -> None:
        tensors[name].view(-1)[-1] = value

    return weights(change)


def header(change: Callable[[dict[str, Any]], object]) -> Damage:
    def damage(folder: Path) -> None:
        data = (folder / WEIGHTS).read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        told = json.loads(data[8 : 8 + length])
        change(told)
        text = json.dumps(told).encode()
        (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])

    return damage


for _weight in (
    NORM,
    "model.embed_tokens.weight",
    "model.layers.1.mlp.down_proj.weight",
    "model.layers.0.self_attn.q_proj.bias",
):
    for _number in (float("nan"), float("inf"), float("-inf")):
        both(f"{_weight} holds {_number}", poisoned(_weight, _number), "NaN or infinity")
both(
    "a weight is missing",
    weights(lambda t: t.pop("model.layers.1.mlp.up_proj.weight")),
    "is missing",
)
both(
    "a bias is missing",
    weights(lambda t: t.pop("model.layers.1.self_attn.k_proj.bias")),
    "is missing",
)
both("whole numbers", weights(lambda t: t.update({NORM: torch.ones(32, dtype=torch.int64)})), "stored as I64")
both("another shape", weights(lambda t: t.update({NORM: torch.ones(33)})), "shape")
both("a scalar", weights(lambda t: t.update({NORM: torch.ones(())})), "shape")
both("offsets beyond the file", header(lambda h: h[NORM].update(data_offsets=[0, 1 << 40])), "corrupt")
both("offsets turned round", header(lambda h: h[NORM].update(data_offsets=[128, 0])), "corrupt")
both("offsets below nothing", header(lambda h: h[NORM].update(data_offsets=[-128, 0])), "corrupt")
both(
    "tensors overlap", header(lambda h: h[NORM].update(h["model.layers.0.input_layernorm.weight"])), "corrupt"
)
both("a shape beyond its bytes", header(lambda h: h[NORM].update(shape=[1 << 40])), "corrupt")
both("a shape that overflows", header(lambda h: h[NORM].update(shape=[1 << 62, 1 << 62])), "corrupt")
both("a type nobody knows", header(lambda h: h[NORM].update(dtype="X9")), "corrupt")


@said("would have")
def a_header_of_a_terabyte(folder: Path) -> None:
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", 1 << 40) + data[8:])


@said("corrupt")
def an_empty_file(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"")


@said("corrupt")
def half_a_file(folder: Path) -> None:
    os.truncate(folder / WEIGHTS, (folder / WEIGHTS).stat().st_size // 2)


# -- tokenizer and format ------------------------------------------------------------------------------------------------


def tokenizer(change: Callable[[dict[str, Any]], object]) -> Damage:
    def damage(folder: Path) -> None:
        path = folder / "tokenizer.json"
        told = json.loads(path.read_text())
        change(told)
        path.write_text(json.dumps(told))

    return damage


def added(number: int) -> dict[str, Any]:
    return {
        "id": number, "content": "<x>", "single_word": False, "lstrip": False, "rstrip": False,
        "normalized": False, "special": True,
    }  # fmt: skip


def bytes_spelled_wrong(told: dict[str, Any]) -> None:
    told.update(pre_tokenizer=None, decoder=None)
    told["model"].update(byte_fallback=True)
    told["model"]["vocab"]["<0xZZ>"] = 256


def vocabulary(**tokens: int) -> Damage:
    return tokenizer(lambda told: told["model"]["vocab"].update(tokens))


both("token four billion", vocabulary(x=4_000_000_000), "tokens, the model only 300")
both("more tokens than the model", vocabulary(**{f"x{k}": 256 + k for k in range(99)}), "model only 300")
both("a token below nothing", vocabulary(x=-1), "tokenizer")
both("no vocabulary", tokenizer(lambda told: told["model"].update(vocab={})), "tokenizer")
both("no model", tokenizer(lambda told: told.pop("model")), "tokenizer")
both("a byte that is none", tokenizer(bytes_spelled_wrong), "cannot be used")
both(
    "text that does not come back",
    tokenizer(lambda told: told.update(normalizer={"type": "Lowercase"})),
    "read back",
)


@said("not a tokenizer")
def tokenizer_is_a_list(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("[]")


@said("no tokenizer")
def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def declared(**values: Any) -> Damage:
    def damage(folder: Path) -> None:
        (folder / "copydesk.json").write_text(json.dumps({"format": {"kind": "tags", **values}}))

    return damage


both("a billion line numbers", declared(kind="lines", max_number=10**9), "max_number")
both("pages of a billion lines", declared(page_lines=10**9), "page")
both("headers of a billion lines", declared(header_lines=10**9), "1000000 at most")
both("subs of a billion lines", declared(sub_lines=10**30), "1000000 at most")
both("line tokens that are not there", declared(kind="lines"), "special token")
both("a format of no kind", declared(kind="abacus"), "abacus")
both("a format of lists", declared(kind=["lines"]), "kind")


@said("cannot be read")
def nested_format(folder: Path) -> None:
    (folder / "copydesk.json").write_text("[" * 100_000)
