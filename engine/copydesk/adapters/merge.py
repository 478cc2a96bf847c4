"""A base and an adapter as one model directory, ready to be served: bf16 weights, tokenizer with the format's tokens, format.

The same base and adapter give the same tensors and tokenizer on every machine. Knows files; no training.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from tokenizers import Tokenizer

from copydesk.adapters.adapter_file import Adapter
from copydesk.adapters.base import Base, BaseConfig, read_base
from copydesk.adapters.tokens import extend, extended_json
from copydesk.errors import AdapterError
from copydesk.prompting.edit_format import EditFormat

Progress = Callable[[int, int], None]
"""Called with how many layers are done, and of how many."""


def merge(base: Path, adapter: Adapter, out: Path, progress: Progress = lambda *_: None) -> Path:
    """Write base + adapter to the directory `out`, and give it. Raises AdapterError where they do not belong together."""
    format = EditFormat.from_dict(adapter.state.format)
    found = read_base(base, torch.bfloat16)
    state = adapter.state
    if found.digest != state.base:
        raise AdapterError(f"the adapter was trained on another base than {base}")
    tokenizer = _tokenizer(base, adapter, found.config.vocab)
    out.mkdir(parents=True, exist_ok=True)
    try:
        save_file(_tensors(found, adapter, progress), out / "model.safetensors", metadata={"format": "pt"})
    except SafetensorError as error:  # what the library makes of an OSError
        raise AdapterError(f"{out / 'model.safetensors'} cannot be written: {error}") from error
    (out / "model.safetensors").chmod(0o644)
    config: dict[str, Any] = json.loads((base / "config.json").read_text("utf-8"))
    config["vocab_size"] = found.config.vocab + len(state.tokens)
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (out / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    if (base / "tokenizer_config.json").is_file():
        shutil.copyfile(base / "tokenizer_config.json", out / "tokenizer_config.json")
    format.save(out)
    return out


def _tokenizer(base: Path, adapter: Adapter, vocabulary: int) -> str:
    """The base's `tokenizer.json` with the adapter's tokens behind its own. Raises AdapterError where they do not fit."""
    path, tokens = base / "tokenizer.json", adapter.state.tokens
    try:
        text = path.read_text("utf-8")
        tokenizer = Tokenizer.from_str(text)
        added = extend(tokenizer, EditFormat.from_dict(adapter.state.format))
        if added != tokens or any(tokenizer.token_to_id(t) != vocabulary + i for i, t in enumerate(tokens)):
            raise AdapterError("the adapter was trained for another edit format or tokenizer")
        return extended_json(text, tokens, vocabulary)
    except AdapterError:
        raise
    except Exception as error:  # the tokenizers library raises bare Exceptions
        raise AdapterError(f"{path} cannot be read: {error}") from error


def _tensors(base: Base, adapter: Adapter, progress: Progress) -> dict[str, torch.Tensor]:
    """All tensors by the names of the Llama family."""
    config = base.config
    rows = adapter.rows.to(torch.bfloat16)
    out = {"model.embed_tokens.weight": torch.cat((base.embedding, rows)), "model.norm.weight": base.norm}
    if base.head is not None:
        out["lm_head.weight"] = torch.cat((base.head, rows))
    for i, layer in enumerate(base.layers):
        root = f"model.layers.{i}."
        out[root + "input_layernorm.weight"] = layer.input_norm
        out[root + "post_attention_layernorm.weight"] = layer.mlp_norm
        for name, weight in layer.linears.items():
            down, up = (adapter.tensors[f"{i}_{name}_{part}"] for part in ("down", "up"))
            merged = merged_weight(weight, down, up, adapter.state.scale)
            out.update({root + key: part for key, part in parts(config, name, merged).items()})
        if layer.qkv_bias is not None:
            biases = parts(config, "qkv", layer.qkv_bias)
            out.update({root + key.replace("weight", "bias"): part for key, part in biases.items()})
        if layer.head_norms is not None:
            for x, tensor in zip("qk", layer.head_norms, strict=True):
                out[f"{root}self_attn.{x}_norm.weight"] = tensor
        progress(i + 1, config.layers)
    return {name: tensor.contiguous().clone() for name, tensor in out.items()}


def merged_weight(weight: torch.Tensor, down: torch.Tensor, up: torch.Tensor, scale: float) -> torch.Tensor:
    """weight [out, in] + scale * up [out, r] @ down [r, in], in the weight's dtype.

    Summed in fp64: machines sum in different orders, and in fp32 some of the results would round to another bf16 number.
    """
    return torch.addmm(weight.double(), up.double(), down.double(), alpha=scale).to(weight.dtype)


def parts(config: BaseConfig, name: str, fused: torch.Tensor) -> dict[str, torch.Tensor]:
    """A fused linear layer's rows by the names of a checkpoint."""
    queries, keys = config.heads * config.width, config.kv_heads * config.width
    match name:
        case "qkv":
            split = fused.split((queries, keys, keys))
            return {f"self_attn.{x}_proj.weight": part for x, part in zip("qkv", split, strict=True)}
        case "gate_up":
            return {f"mlp.{x}_proj.weight": p for x, p in zip(("gate", "up"), fused.chunk(2), strict=True)}
        case "out":
            return {"self_attn.o_proj.weight": fused}
        case _:
            return {"mlp.down_proj.weight": fused}
