"""Weights of the Llama family, fused the way one flat forward wants them.

Knows the checkpoint names of Llama, Mistral, Qwen2 and Qwen3. Does not know files or how the weights are
used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from copydesk.errors import ModelError
from copydesk.models.rope import rope_limit

Fetch = Callable[[str], torch.Tensor | None]
"""A checkpoint's tensor by name, None when it has none of that name."""

FAMILY = frozenset({"llama", "mistral", "qwen2", "qwen3"})


class Layer(NamedTuple):
    """One decoder layer. Hq query heads, Hk key heads of width D; hidden size E, inner size F."""

    input_norm: torch.Tensor  # [E]
    qkv: torch.Tensor  # [(Hq + 2 Hk) D, E]: queries, keys, values
    qkv_bias: torch.Tensor | None
    head_norm: torch.Tensor | None  # [Hq + Hk, D]: Qwen3's q and k norm
    out: torch.Tensor  # [E, Hq D]
    out_bias: torch.Tensor | None
    mlp_norm: torch.Tensor  # [E]
    gate_up: torch.Tensor  # [2 F, E]
    gate_up_bias: torch.Tensor | None
    down: torch.Tensor  # [E, F]
    down_bias: torch.Tensor | None


class Weights(NamedTuple):
    """All weights of a model of E hidden units and V tokens."""

    embedding: torch.Tensor  # [V, E]
    layers: tuple[Layer, ...]
    norm: torch.Tensor  # [E]
    head: torch.Tensor  # [V, E]: the embedding itself when tied


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of one model of the family."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    max_positions: int

    @classmethod
    def of(cls, config: Any) -> Shape:
        heads = int(config.num_attention_heads)
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // heads
        return cls(
            layers=int(config.num_hidden_layers),
            heads=heads,
            kv_heads=int(getattr(config, "num_key_value_heads", None) or heads),
            head_dim=int(head_dim),
            eps=float(config.rms_norm_eps),
            max_positions=min(rope_limit(config), attention_window(config)),
        )


def attention_window(config: Any) -> int:
    """The shortest sliding window any layer has; a huge number when all attention is full.

    Within its first window a sliding layer attends to everything, so a context of that length is exact and
    every slot stays where it is.
    """
    unlimited = 1 << 60
    window = getattr(config, "sliding_window", None)
    if not window:
        return unlimited
    kinds = getattr(config, "layer_types", None)
    if kinds is not None:
        return int(window) if any("sliding" in kind for kind in kinds) else unlimited
    return int(window) if getattr(config, "use_sliding_window", True) else unlimited


def supports(config: Any) -> bool:
    """Whether the hand-written forward computes this architecture."""
    return (
        getattr(config, "model_type", None) in FAMILY
        and getattr(config, "hidden_act", None) == "silu"
        and (getattr(config, "rope_parameters", None) or {}).get("partial_rotary_factor", 1.0) == 1.0
    )


def laid_out(weight: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A linear layer's weight [out, in] on `device`, in the memory order its product with one vector is
    fastest in.

    In fp32 on CPU a wide weight stored input-major takes half the time or less at one or two tokens (16384 x
    384: 0.9 against 2.5 ms) and the same at many; tall ones and bf16 gain nothing.
    """
    weight = weight.to(device)
    wide = weight.shape[0] > weight.shape[1]
    if device.type == "cpu" and weight.dtype == torch.float32 and wide:
        return weight.t().contiguous().t()
    return weight.contiguous()


def fuse(config: Any, fetch: Fetch, device: torch.device, dtype: torch.dtype) -> Weights:
    """All weights on `device` in `dtype`. Raises ModelError for a missing tensor or one of the wrong
    shape."""
    shape = Shape.of(config)
    hidden, width, inner = int(config.hidden_size), shape.head_dim, int(config.intermediate_size)

    def optional(name: str, *size: int) -> torch.Tensor | None:
        tensor = fetch(name)
        if tensor is None:
            return None
        if tuple(tensor.shape) != size:
            raise ModelError(f"weight {name} has shape {tuple(tensor.shape)}, the configuration says {size}")
        return tensor.to(dtype)

    def needed(name: str, *size: int) -> torch.Tensor:
        tensor = optional(name, *size)
        if tensor is None:
            raise ModelError(f"weight {name} is missing")
        return tensor

    def joined(names: list[str], sizes: list[int]) -> torch.Tensor:
        parts = [needed(f"{name}.weight", size, hidden) for name, size in zip(names, sizes, strict=True)]
        return laid_out(torch.cat(parts), device)

    def joined_bias(names: list[str], sizes: list[int]) -> torch.Tensor | None:
        parts = [optional(f"{name}.bias", size) for name, size in zip(names, sizes, strict=True)]
        if all(part is None for part in parts):
            return None
        filled = [torch.zeros(n, dtype=dtype) if p is None else p for p, n in zip(parts, sizes, strict=True)]
        return torch.cat(filled).to(device)

    def placed(tensor: torch.Tensor | None) -> torch.Tensor | None:
        return None if tensor is None else tensor.to(device)

    def layer(index: int) -> Layer:
        root = f"model.layers.{index}"
        attention = f"{root}.self_attn"
        query, key = shape.heads * width, shape.kv_heads * width
        qkv_names, qkv_sizes = [f"{attention}.{x}_proj" for x in "qkv"], [query, key, key]
        mlp_names = [f"{root}.mlp.gate_proj", f"{root}.mlp.up_proj"]
        q_norm = optional(f"{attention}.q_norm.weight", width)
        k_norm = optional(f"{attention}.k_norm.weight", width)
        head_norm = None
        if q_norm is not None and k_norm is not None:
            head_norm = torch.cat((q_norm.expand(shape.heads, width), k_norm.expand(shape.kv_heads, width)))
        return Layer(
            input_norm=needed(f"{root}.input_layernorm.weight", hidden).to(device),
            qkv=joined(qkv_names, qkv_sizes),
            qkv_bias=joined_bias(qkv_names, qkv_sizes),
            head_norm=placed(head_norm),
            out=laid_out(needed(f"{attention}.o_proj.weight", hidden, query), device),
            out_bias=placed(optional(f"{attention}.o_proj.bias", hidden)),
            mlp_norm=needed(f"{root}.post_attention_layernorm.weight", hidden).to(device),
            gate_up=joined(mlp_names, [inner, inner]),
            gate_up_bias=joined_bias(mlp_names, [inner, inner]),
            down=laid_out(needed(f"{root}.mlp.down_proj.weight", hidden, inner), device),
            down_bias=placed(optional(f"{root}.mlp.down_proj.bias", hidden)),
        )

    with torch.inference_mode():
        vocabulary = int(config.vocab_size)
        table = needed("model.embed_tokens.weight", vocabulary, hidden)
        tied = bool(config.tie_word_embeddings)
        # One copy serves both when tied; rows are then gathered from the head's memory order, which costs
        # little.
        embedding = laid_out(table, device) if tied else table.to(device)
        layers = tuple(layer(i) for i in range(shape.layers))
        norm = needed("model.norm.weight", hidden).to(device)
        head = embedding if tied else laid_out(needed("lm_head.weight", vocabulary, hidden), device)
        return Weights(embedding, layers, norm, head)
