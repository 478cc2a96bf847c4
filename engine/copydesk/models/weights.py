"""Weights of the Llama family, fused the way one flat forward wants them.

Knows the checkpoint names of Llama, Mistral, Qwen2 and Qwen3. Does not know files or how the weights are
used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from copydesk.errors import ModelError
from copydesk.models.checkpoint import Expected, Fetch, check_finite
from copydesk.models.linear import pack, packs, unpack
from copydesk.models.rope import rope_limit

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
    """All weights of a model of E hidden units and V tokens. Those of linear layers may be packed (`linear.py`)."""

    embedding: torch.Tensor  # [V, E]
    layers: tuple[Layer, ...]
    norm: torch.Tensor  # [E]
    head: torch.Tensor  # [V, E]: the embedding itself when tied, and not packed

    def plain(self) -> Weights:
        """The same, none of them packed."""
        layers = tuple(
            Layer._make(None if each is None else unpack(each) for each in layer) for layer in self.layers
        )
        return Weights(self.embedding, layers, self.norm, unpack(self.head))


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


def expected(config: Any) -> dict[str, Expected]:
    """Every tensor of a model of this configuration, with its size: what it needs, and what it may have."""
    shape = Shape.of(config)
    vocabulary, hidden, inner = int(config.vocab_size), int(config.hidden_size), int(config.intermediate_size)
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    found = {
        "model.embed_tokens.weight": Expected((vocabulary, hidden), True),
        "model.norm.weight": Expected((hidden,), True),
        "lm_head.weight": Expected((vocabulary, hidden), not config.tie_word_embeddings),
    }
    linear = {
        "self_attn.q_proj": (query, hidden), "self_attn.k_proj": (key, hidden), "self_attn.v_proj": (key, hidden),
        "self_attn.o_proj": (hidden, query),
        "mlp.gate_proj": (inner, hidden), "mlp.up_proj": (inner, hidden), "mlp.down_proj": (hidden, inner),
    }  # fmt: skip
    for index in range(shape.layers):
        root = f"model.layers.{index}"
        for name, size in linear.items():
            found[f"{root}.{name}.weight"] = Expected(size, True)
            found[f"{root}.{name}.bias"] = Expected(size[:1], False)
        for name in ("input_layernorm", "post_attention_layernorm"):
            found[f"{root}.{name}.weight"] = Expected((hidden,), True)
        for name in ("q_norm", "k_norm"):
            normed = config.model_type == "qwen3"
            found[f"{root}.self_attn.{name}.weight"] = Expected((shape.head_dim,), normed)
    return found


class WeightReader:
    """A model's weights on `device` in `dtype`, fused and laid out, read when they are asked for.

    packed: those of linear layers are packed for `linear`.
    Reading raises ModelError for a missing tensor, one of the wrong shape, and one that holds NaN or infinity.
    """

    def __init__(
        self, config: Any, fetch: Fetch, device: torch.device, dtype: torch.dtype, *, packed: bool = False
    ) -> None:
        self.shape = Shape.of(config)
        self._packed = packed
        self.tied = bool(config.tie_word_embeddings)
        self._fetch, self._device, self._dtype = fetch, device, dtype
        self._sizes = expected(config)

    def embedding(self) -> torch.Tensor:
        """[V, E]. Where it is tied, one copy serves as the head too; gathering rows from the head's memory order costs little."""
        table = self._needed("model.embed_tokens.weight")
        return laid_out(self._own(table), self._device) if self.tied else self._own(table)

    def head(self) -> torch.Tensor:
        """[V, E], of a model whose head is not the embedding."""
        return self._laid_out(self._needed("lm_head.weight"))

    def norm(self) -> torch.Tensor:
        """[E]"""
        return self._own(self._needed("model.norm.weight"))

    def layer(self, index: int) -> Layer:
        root = f"model.layers.{index}"
        attention = f"{root}.self_attn"
        qkv_names = [f"{attention}.{x}_proj" for x in "qkv"]
        mlp_names = [f"{root}.mlp.gate_proj", f"{root}.mlp.up_proj"]
        q_norm = self._optional(f"{attention}.q_norm.weight")
        k_norm = self._optional(f"{attention}.k_norm.weight")
        head_norm = None
        if q_norm is not None and k_norm is not None:
            width = self.shape.head_dim
            head_norm = torch.cat(
                (q_norm.expand(self.shape.heads, width), k_norm.expand(self.shape.kv_heads, width))
            )
        return Layer(
            input_norm=self._own(self._needed(f"{root}.input_layernorm.weight")),
            qkv=self._joined(qkv_names),
            qkv_bias=self._joined_bias(qkv_names),
            head_norm=self._placed(head_norm),
            out=self._laid_out(self._needed(f"{attention}.o_proj.weight")),
            out_bias=self._placed(self._optional(f"{attention}.o_proj.bias")),
            mlp_norm=self._own(self._needed(f"{root}.post_attention_layernorm.weight")),
            gate_up=self._joined(mlp_names),
            gate_up_bias=self._joined_bias(mlp_names),
            down=self._laid_out(self._needed(f"{root}.mlp.down_proj.weight")),
            down_bias=self._placed(self._optional(f"{root}.mlp.down_proj.bias")),
        )

    def _optional(self, name: str) -> torch.Tensor | None:
        tensor = self._fetch(name)
        if tensor is None:
            return None
        if tuple(tensor.shape) != self._sizes[name].size:
            raise ModelError(
                f"weight {name} has shape {tuple(tensor.shape)}, the configuration says {self._sizes[name].size}"
            )
        tensor = tensor.to(self._dtype)
        check_finite(name, tensor)
        return tensor

    def _needed(self, name: str) -> torch.Tensor:
        tensor = self._optional(name)
        if tensor is None:
            raise ModelError(f"weight {name} is missing")
        return tensor

    def _joined(self, names: list[str]) -> torch.Tensor:
        return self._laid_out(torch.cat([self._needed(f"{name}.weight") for name in names]))

    def _laid_out(self, weight: torch.Tensor) -> torch.Tensor:
        return pack(weight) if self._packed else laid_out(self._own(weight), self._device)

    def _joined_bias(self, names: list[str]) -> torch.Tensor | None:
        parts = {name: self._optional(f"{name}.bias") for name in names}
        present = [part for part in parts.values() if part is not None]
        if present and len(present) < len(names):
            lost = next(name for name, part in parts.items() if part is None)
            raise ModelError(f"weight {lost}.bias is missing, and others of its layer are there")
        return torch.cat(present).to(self._device) if present else None

    def _placed(self, tensor: torch.Tensor | None) -> torch.Tensor | None:
        return None if tensor is None else self._own(tensor)

    def _own(self, tensor: torch.Tensor) -> torch.Tensor:
        """On the device, and no view of a checkpoint's file: one that is left keeps all of it in memory."""
        placed = tensor.to(self._device)
        return placed.clone() if placed is tensor else placed


def fuse(config: Any, fetch: Fetch, device: torch.device, dtype: torch.dtype) -> Weights:
    """All weights on `device` in `dtype`, packed where that is faster. Raises ModelError as `WeightReader` does."""
    packed = packs(device, dtype)
    reader = WeightReader(config, fetch, device, dtype, packed=packed)
    with torch.inference_mode():
        embedding = reader.embedding()
        layers = tuple(reader.layer(index) for index in range(reader.shape.layers))
        head = embedding if reader.tied else reader.head()
        return Weights(embedding, layers, reader.norm(), pack(head) if packed and reader.tied else head)
