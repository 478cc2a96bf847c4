"""The training model: Qwen2 with fused projections and tied embeddings, in bf16 or fp32.

`export.py` writes it as `Qwen2ForCausalLM`, tensor by tensor (`hf_tensors`). Every model trained here has as many key heads as
query heads. Two ways through a layer compute the same: `fused.py` with native kernels (CPU, bf16), and torch's own operators
below (any device, any dtype, and what `torch.compile` sees). Knows no data, no loss and no optimiser.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from copydesk_training.fused import FusedLayer, FusedNorm, Places, fused_available
from copydesk_training.kernels import Kernels
from copydesk_training.segments import Segments

Rope = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes of one model. hidden = heads * head width; `positions` bounds the length of a sequence."""

    vocab: int
    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int = 4096
    theta: float = 10_000.0
    eps: float = 1e-6

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def matrix_parameters(self) -> int:
        """Parameters of all linear layers, embedding and head apart: each costs 6 FLOPs a token in training."""
        return self.layers * (4 * self.hidden**2 + 3 * self.hidden * self.inner)

    def flops(self, tokens: int, length: int, predicted: int, pairs: int | None = None) -> float:
        """Model FLOPs of forward and backward over `tokens` in sequences of `length`, with logits at `predicted` of them.

        Attention counts the pairs of tokens that see each other, 12 FLOPs x hidden a pair and layer: `pairs`, or half of all.
        """
        pairs = tokens * length // 2 if pairs is None else pairs
        attention = 12 * pairs * self.hidden * self.layers
        return float(
            6 * self.matrix_parameters * tokens + attention + 6 * predicted * self.hidden * self.vocab
        )


SIZES: dict[str, dict[str, int]] = {
    "xs": {"hidden": 128, "layers": 4, "heads": 2, "inner": 384},
    "s": {"hidden": 192, "layers": 8, "heads": 3, "inner": 576},
    "m": {"hidden": 320, "layers": 8, "heads": 5, "inner": 896},
    "l": {"hidden": 448, "layers": 10, "heads": 7, "inner": 1216},
}
"""0.9M, 3.9M, 10.2M and 24.4M parameters beside the embedding."""


def rope_tables(length: int, width: int, theta: float, device: torch.device | str = "cpu") -> Rope:
    """Cosine and sine [length, width] in fp32, halves repeated, as transformers lays them out."""
    inverse = 1.0 / theta ** (torch.arange(0, width, 2, device=device, dtype=torch.float32) / width)
    angle = torch.arange(length, device=device, dtype=torch.float32)[:, None] * inverse
    angle = torch.cat((angle, angle), -1)
    return angle.cos(), angle.sin()


class Layer(nn.Module):
    """One decoder layer. E = hidden, F = inner."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        E, F_ = config.hidden, config.inner
        deep = 0.02 / math.sqrt(2 * config.layers)
        self.heads, self.eps = config.heads, config.eps
        self.input_norm = nn.Parameter(torch.ones(E))
        self.qkv = nn.Parameter(torch.randn(3 * E, E) * 0.02)
        self.qkv_bias = nn.Parameter(torch.zeros(3 * E))
        self.out = nn.Parameter(torch.randn(E, E) * deep)
        self.mlp_norm = nn.Parameter(torch.ones(E))
        self.gate_up = nn.Parameter(torch.randn(2 * F_, E) * 0.02)
        self.down = nn.Parameter(torch.randn(E, F_) * deep)

    def forward(self, x: torch.Tensor, rope: Rope, mask: torch.Tensor | None = None) -> torch.Tensor:
        """x [B, T, E]; rope at the positions of its tokens, [T, D] or [B, 1, T, D]. mask: of `Segments`, or causal."""
        B, T, E = x.shape
        y = F.rms_norm(x, (E,), self.input_norm, self.eps)
        qkv = F.linear(y, self.qkv, self.qkv_bias).view(B, T, 3, self.heads, E // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        o = F.scaled_dot_product_attention(
            rotated(q, rope), rotated(k, rope), v, attn_mask=mask, is_causal=mask is None
        )
        x = x + F.linear(o.transpose(1, 2).reshape(B, T, E), self.out)
        gate, up = F.linear(F.rms_norm(x, (E,), self.mlp_norm, self.eps), self.gate_up).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)


def rotated(x: torch.Tensor, rope: Rope) -> torch.Tensor:
    """Rotary embedding of x [B, H, T, D], computed in fp32."""
    a, b = x.float().chunk(2, -1)
    cosine, sine = rope
    half = a.shape[-1]
    c, s = cosine[..., :half], sine[..., :half]
    return torch.cat((a * c - b * s, b * c + a * s), -1).to(x.dtype)


class TrainingModel(nn.Module):
    """The whole network up to the final norm; logits are the caller's, at the positions it wants.

    dtype: bf16 (fp32 masters live in the optimiser) or fp32. kernels: native kernels, used on a CPU in bf16.
    """

    def __init__(
        self,
        config: Config,
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.bfloat16,
        kernels: Kernels | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        # Built on the CPU in fp32 whatever the device: the same seed gives the same weights everywhere.
        self.embedding = nn.Parameter(torch.randn(config.vocab, config.hidden) * 0.02)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.Parameter(torch.ones(config.hidden))
        self.to(device=device, dtype=dtype)
        self.rope = rope_tables(config.positions, config.hidden // config.heads, config.theta, device)
        usable = fused_available(torch.device(device), dtype, config.inner)
        self.kernels = kernels if usable else None

    def hidden(self, ids: torch.Tensor, segments: Segments | None = None) -> torch.Tensor:
        """Hidden states [B, T, E] behind the final norm, of ids [B, T]; without `segments` each row is one text."""
        x = self._embedded(ids)
        if self.kernels is not None:
            places = None if segments is None else Places(segments)
            for m in self.layers:
                x = FusedLayer.apply(  # type: ignore[no-untyped-call]
                    x, m.input_norm, m.qkv, m.qkv_bias, m.out, m.mlp_norm, m.gate_up, m.down,
                    *self.rope, m.heads, m.eps, places, self.kernels,
                )  # fmt: skip
            return FusedNorm.apply(x, self.norm, self.config.eps, self.kernels)  # type: ignore[no-untyped-call]
        if segments is None:
            rope, mask = (self.rope[0][: ids.shape[1]], self.rope[1][: ids.shape[1]]), None
        else:
            at, mask = segments.positions[:, None], segments.mask
            rope = self.rope[0][at], self.rope[1][at]
        for m in self.layers:
            x = m(x, rope, mask)
        return F.rms_norm(x, (self.config.hidden,), self.norm, self.config.eps)

    forward = hidden

    @property
    def head(self) -> torch.Tensor:
        """[V, E]: the embedding itself."""
        return self.embedding

    def _embedded(self, ids: torch.Tensor) -> torch.Tensor:
        # CUDA's own embedding gradient adds up in fp32, and the compiler knows it.
        if ids.device.type == "cpu":
            return Embed.apply(ids, self.embedding)  # type: ignore[no-untyped-call]
        return F.embedding(ids, self.embedding)

    def logits(self, ids: torch.Tensor, segments: Segments | None = None) -> torch.Tensor:
        """All logits [B, T, V], for tests and small evaluations."""
        return F.linear(self.hidden(ids, segments), self.embedding)


class Embed(torch.autograd.Function):
    """Rows of the embedding; the gradient adds up in fp32, since a newline occurs hundreds of times in one batch."""

    @staticmethod
    def forward(ctx: Any, ids: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(ids)
        ctx.size, ctx.dtype = table.shape[0], table.dtype
        return F.embedding(ids, table)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (ids,) = ctx.saved_tensors
        (grad,) = grads
        total = torch.zeros(ctx.size, grad.shape[-1], dtype=torch.float32, device=grad.device)
        total.index_add_(0, ids.reshape(-1), grad.reshape(-1, grad.shape[-1]).float())
        return None, total.to(ctx.dtype)


def hf_tensors(state: dict[str, torch.Tensor], config: Config) -> dict[str, torch.Tensor]:
    """The tensors of `Qwen2ForCausalLM` by name, from a state dict or the masters of a `TrainingModel`."""
    E, inner = config.hidden, config.inner
    out = {"model.embed_tokens.weight": state["embedding"], "model.norm.weight": state["norm"]}
    for i in range(config.layers):
        own, theirs = f"layers.{i}.", f"model.layers.{i}."
        for j, part in enumerate("qkv"):
            rows = slice(j * E, (j + 1) * E)
            out[f"{theirs}self_attn.{part}_proj.weight"] = state[own + "qkv"][rows]
            out[f"{theirs}self_attn.{part}_proj.bias"] = state[own + "qkv_bias"][rows]
        out[theirs + "self_attn.o_proj.weight"] = state[own + "out"]
        out[theirs + "input_layernorm.weight"] = state[own + "input_norm"]
        out[theirs + "post_attention_layernorm.weight"] = state[own + "mlp_norm"]
        out[theirs + "mlp.gate_proj.weight"] = state[own + "gate_up"][:inner]
        out[theirs + "mlp.up_proj.weight"] = state[own + "gate_up"][inner:]
        out[theirs + "mlp.down_proj.weight"] = state[own + "down"]
    return out


def from_hf(tensors: dict[str, torch.Tensor], config: Config) -> dict[str, torch.Tensor]:
    """The inverse of `hf_tensors`: a state dict in fp32. Raises KeyError where a tensor is missing."""
    out = {"embedding": tensors["model.embed_tokens.weight"], "norm": tensors["model.norm.weight"]}
    for i in range(config.layers):
        own, theirs = f"layers.{i}.", f"model.layers.{i}."
        for name, kind in (("qkv", "weight"), ("qkv_bias", "bias")):
            out[own + name] = torch.cat([tensors[f"{theirs}self_attn.{part}_proj.{kind}"] for part in "qkv"])
        out[own + "out"] = tensors[theirs + "self_attn.o_proj.weight"]
        out[own + "input_norm"] = tensors[theirs + "input_layernorm.weight"]
        out[own + "mlp_norm"] = tensors[theirs + "post_attention_layernorm.weight"]
        out[own + "gate_up"] = torch.cat(
            [tensors[f"{theirs}mlp.{part}_proj.weight"] for part in ("gate", "up")]
        )
        out[own + "down"] = tensors[theirs + "mlp.down_proj.weight"]
    return {name: tensor.float() for name, tensor in out.items()}


def hf_config(config: Config) -> dict[str, Any]:
    """Arguments of `Qwen2Config` for the same network."""
    return {
        "vocab_size": config.vocab,
        "hidden_size": config.hidden,
        "intermediate_size": config.inner,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.heads,
        "max_position_embeddings": config.positions,
        "rope_parameters": {"rope_type": "default", "rope_theta": config.theta},
        "rms_norm_eps": config.eps,
        "tie_word_embeddings": True,
        "use_sliding_window": False,
    }
