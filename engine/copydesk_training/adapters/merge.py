"""A base and an adapter as one model directory, ready to be served: bf16 weights, tokenizer with the format's tokens, format.

Knows files; no training.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

from copydesk.errors import TrainingError
from copydesk.prompting.edit_format import EditFormat
from copydesk_training.adapters.adapter_file import Adapter
from copydesk_training.adapters.base import Base, BaseConfig, read_base
from copydesk_training.adapters.tokens import extend


def merge(base: Path, adapter: Adapter, out: Path) -> Path:
    """Write base + adapter to the directory `out`, and give it. Raises TrainingError where they do not belong together."""
    format = EditFormat.from_dict(adapter.state.format)
    found = read_base(base, torch.bfloat16)
    state = adapter.state
    if found.digest != state.base:
        raise TrainingError(f"the adapter was trained on another base than {base}")
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    added = extend(tokenizer, format)
    if added != state.tokens:
        raise TrainingError("the adapter was trained for another edit format or tokenizer")
    out.mkdir(parents=True, exist_ok=True)
    save_file(_tensors(found, adapter), out / "model.safetensors", metadata={"format": "pt"})
    (out / "model.safetensors").chmod(0o644)
    config: dict[str, Any] = json.loads((base / "config.json").read_text("utf-8"))
    config["vocab_size"] = found.config.vocab + len(added)
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    tokenizer.save(str(out / "tokenizer.json"))
    if (base / "tokenizer_config.json").is_file():
        shutil.copyfile(base / "tokenizer_config.json", out / "tokenizer_config.json")
    format.save(out)
    return out


def _tensors(base: Base, adapter: Adapter) -> dict[str, torch.Tensor]:
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
            merged = torch.addmm(weight.float(), up, down, alpha=adapter.state.scale).to(weight.dtype)
            out.update({root + key: part for key, part in parts(config, name, merged).items()})
        if layer.qkv_bias is not None:
            biases = parts(config, "qkv", layer.qkv_bias)
            out.update({root + key.replace("weight", "bias"): part for key, part in biases.items()})
        if layer.head_norms is not None:
            for x, tensor in zip("qk", layer.head_norms, strict=True):
                out[f"{root}self_attn.{x}_norm.weight"] = tensor
    return {name: tensor.contiguous().clone() for name, tensor in out.items()}


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
