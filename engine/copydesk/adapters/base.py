"""A pretrained base model as adapters see it: sizes and frozen tensors, read from a model directory.

Covers Llama, Mistral, Qwen2 and Qwen3 (RMS norm, rotary embedding, SwiGLU, grouped key heads). Knows no adapters and no training.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from copydesk.errors import AdapterError
from copydesk.models.tensor_digest import tensors_sha256

FAMILIES = frozenset({"llama", "mistral", "qwen2", "qwen3"})


@dataclass(frozen=True, slots=True)
class BaseConfig:
    """Sizes of a base. E = hidden, H query heads and K key heads of width D, F = inner, V = vocabulary."""

    vocab: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    width: int
    inner: int
    theta: float
    eps: float
    positions: int

    @property
    def linears(self) -> dict[str, tuple[int, int]]:
        """(outputs, inputs) of the linear layers of one decoder layer, fused as they are computed."""
        E, F = self.hidden, self.inner
        attention = self.heads * self.width
        qkv = attention + 2 * self.kv_heads * self.width
        return {"qkv": (qkv, E), "out": (E, attention), "gate_up": (2 * F, E), "down": (E, F)}

    @property
    def linear_parameters(self) -> int:
        return self.layers * sum(rows * columns for rows, columns in self.linears.values())


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """The frozen tensors of one decoder layer. `linears` by name, [outputs, inputs]; bias of qkv, or None; head_norms: of queries
    and of keys (Qwen3), [D] each, or None.
    """

    input_norm: torch.Tensor
    mlp_norm: torch.Tensor
    linears: dict[str, torch.Tensor]
    qkv_bias: torch.Tensor | None
    head_norms: tuple[torch.Tensor, torch.Tensor] | None


@dataclass(frozen=True, slots=True)
class Base:
    """A base model in memory. embedding [V, E]; `head` is None where it is the embedding itself. digest: of all its tensors."""

    config: BaseConfig
    embedding: torch.Tensor
    norm: torch.Tensor
    head: torch.Tensor | None
    layers: tuple[BaseLayer, ...]
    digest: str


def read_config(directory: Path) -> BaseConfig:
    """The sizes a model directory declares. Raises AdapterError for a model that has no adapters."""
    path = directory / "config.json"
    try:
        told = json.loads(path.read_text("utf-8"))
        if told["model_type"] not in FAMILIES or told.get("hidden_act", "silu") != "silu":
            raise AdapterError(
                f"adapters are for {', '.join(sorted(FAMILIES))}; {directory} is {told['model_type']!r}"
            )
        rope = told.get("rope_parameters") or {}
        if rope.get("rope_type", "default") != "default" or told.get("rope_scaling"):
            raise AdapterError(f"{directory} scales its rotary embedding, which adapters do not support")
        heads = int(told["num_attention_heads"])
        return BaseConfig(
            vocab=int(told["vocab_size"]),
            hidden=int(told["hidden_size"]),
            layers=int(told["num_hidden_layers"]),
            heads=heads,
            kv_heads=int(told.get("num_key_value_heads") or heads),
            width=int(told.get("head_dim") or told["hidden_size"] // heads),
            inner=int(told["intermediate_size"]),
            theta=float(rope.get("rope_theta") or told.get("rope_theta", 10_000.0)),
            eps=float(told["rms_norm_eps"]),
            positions=int(told["max_position_embeddings"]),
        )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise AdapterError(f"cannot read the configuration {path}: {error!r}") from error


def read_base(directory: Path, dtype: torch.dtype, device: torch.device | str = "cpu") -> Base:
    """The base in `directory`. Raises AdapterError where tensors are missing or of another shape."""
    config = read_config(directory)
    tensors = _tensors(directory)
    left = set(tensors)

    def take(name: str, *shape: int) -> torch.Tensor:
        left.discard(name)
        if name not in tensors:
            raise AdapterError(f"the weight {name} is missing in {directory}")
        if tuple(tensors[name].shape) != shape:
            raise AdapterError(f"the weight {name} has shape {tuple(tensors[name].shape)}, expected {shape}")
        return tensors[name].to(device=device, dtype=dtype)

    E, attention, keys = config.hidden, config.heads * config.width, config.kv_heads * config.width
    layers = []
    for i in range(config.layers):
        root = f"model.layers.{i}."
        rows = {"q": attention, "k": keys, "v": keys}
        qkv = torch.cat([take(f"{root}self_attn.{x}_proj.weight", n, E) for x, n in rows.items()])
        bias = None
        if f"{root}self_attn.q_proj.bias" in tensors:
            bias = torch.cat([take(f"{root}self_attn.{x}_proj.bias", n) for x, n in rows.items()])
        linears = {
            "qkv": qkv,
            "out": take(f"{root}self_attn.o_proj.weight", E, attention),
            "gate_up": torch.cat(
                [take(f"{root}mlp.{x}_proj.weight", config.inner, E) for x in ("gate", "up")]
            ),
            "down": take(f"{root}mlp.down_proj.weight", E, config.inner),
        }
        before, behind = (take(f"{root}{x}_layernorm.weight", E) for x in ("input", "post_attention"))
        of_heads = None
        if f"{root}self_attn.q_norm.weight" in tensors:
            query, key = (take(f"{root}self_attn.{x}_norm.weight", config.width) for x in "qk")
            of_heads = (query, key)
        layers.append(BaseLayer(before, behind, linears, bias, of_heads))
    head = take("lm_head.weight", config.vocab, E) if "lm_head.weight" in tensors else None
    embedding, norm = take("model.embed_tokens.weight", config.vocab, E), take("model.norm.weight", E)
    if left:
        raise AdapterError(f"{directory} has weights that adapters do not support: {min(left)}")
    return Base(config, embedding, norm, head, tuple(layers), tensors_sha256(tensors))


def _tensors(directory: Path) -> dict[str, torch.Tensor]:
    paths = sorted(directory.glob("model*.safetensors"))
    if not paths:
        raise AdapterError(f"{directory} holds no weights (model*.safetensors)")
    out: dict[str, torch.Tensor] = {}
    try:
        for path in paths:
            with safe_open(path, framework="pt") as file:
                out.update({name: file.get_tensor(name) for name in list(file.keys())})
    except (OSError, SafetensorError, ValueError) as error:
        raise AdapterError(f"cannot read the weights in {directory}: {error}") from error
    return out
