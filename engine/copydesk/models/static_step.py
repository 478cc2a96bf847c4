"""The forward of the Llama family with static shapes: what a CUDA graph captures, and a plain function
besides.

All sizes follow from the shapes of its inputs; rows, lengths and visibility are values. Run eagerly it
computes what `LlamaModel` computes, on any device.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from copydesk.models.weights import Shape, Weights


@dataclass(frozen=True, slots=True)
class StepInputs:
    """Inputs of one step: B rows of W tokens each over K keys."""

    tokens: torch.Tensor  # int64 [B * W]
    positions: torch.Tensor  # int64 [B * W]
    writes: torch.Tensor  # int64 [B * W]: the arena slot of each token; padding writes to the scratch slot
    bases: torch.Tensor  # int64 [B]: the arena slot of each row's slot 0
    mask: torch.Tensor  # bool [B, W, K]: True = visible; padding queries see key 0

    @classmethod
    def empty(cls, batch: int, width: int, keys: int, *, scratch: int, device: torch.device) -> StepInputs:
        """Inputs that are all padding."""
        flat = batch * width
        mask = torch.zeros(batch, width, keys, dtype=torch.bool, device=device)
        mask[:, :, 0] = True
        return cls(
            tokens=torch.zeros(flat, dtype=torch.long, device=device),
            positions=torch.zeros(flat, dtype=torch.long, device=device),
            writes=torch.full((flat,), scratch, dtype=torch.long, device=device),
            bases=torch.zeros(batch, dtype=torch.long, device=device),
            mask=mask,
        )

    def copy_(self, other: StepInputs) -> None:
        """Overwrite the values in place; the addresses stay."""
        for mine, theirs in (
            (self.tokens, other.tokens),
            (self.positions, other.positions),
            (self.writes, other.writes),
            (self.bases, other.bases),
            (self.mask, other.mask),
        ):
            mine.copy_(theirs, non_blocking=True)


def static_step(
    weights: Weights,
    shape: Shape,
    cos: torch.Tensor,
    sin: torch.Tensor,
    arena: torch.Tensor,
    inputs: StepInputs,
) -> torch.Tensor:
    """Final normalised states [B * W, E]; writes keys and values of all tokens into `arena` [L, S, 2 Hk, D].

    cos, sin: rope tables [P, 1, D] as `RopeTable` keeps them.
    """
    heads, kv_heads, width, eps = shape.heads, shape.kv_heads, shape.head_dim, shape.eps
    group, rotated = heads // kv_heads, heads + kv_heads
    batch, queries, reach = inputs.mask.shape
    flat = batch * queries
    # Rows near the arena's end reach past it; what they read there is masked.
    index = inputs.bases[:, None] + torch.arange(reach, device=arena.device)
    index = index.clamp(max=arena.shape[1] - 1).view(-1)
    # [B, 1, group * W, K]: the heads of a group are stacked into the query dimension
    mask = torch.zeros(inputs.mask.shape, dtype=arena.dtype, device=arena.device)
    mask = mask.masked_fill(~inputs.mask, float("-inf"))[:, None].repeat(1, 1, group, 1)
    cos, sin = cos.index_select(0, inputs.positions), sin.index_select(0, inputs.positions)
    x = F.embedding(inputs.tokens, weights.embedding)
    size = (x.shape[-1],)
    for number, layer in enumerate(weights.layers):
        states = F.linear(F.rms_norm(x, size, layer.input_norm, eps), layer.qkv, layer.qkv_bias)
        states = states.view(flat, rotated + kv_heads, width)
        qk = states[:, :rotated]
        if layer.head_norm is not None:
            qk = F.rms_norm(qk, (width,), None, eps) * layer.head_norm
        qk = torch.addcmul(qk * cos, torch.roll(qk, width // 2, -1), sin)
        store = arena[number]
        store.index_copy_(0, inputs.writes, torch.cat((qk[:, heads:], states[:, rotated:]), dim=1))
        held = store.index_select(0, index).view(batch, reach, 2 * kv_heads, width).transpose(1, 2)
        grouped = qk[:, :heads].view(batch, queries, kv_heads, group, width).permute(0, 2, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(
            grouped.reshape(batch, kv_heads, group * queries, width),
            held[:, :kv_heads],
            held[:, kv_heads:],
            mask,
        )
        mixed = mixed.view(batch, kv_heads, group, queries, width).permute(0, 3, 1, 2, 4)
        x = x + F.linear(mixed.reshape(flat, heads * width), layer.out, layer.out_bias)
        gated = F.linear(F.rms_norm(x, size, layer.mlp_norm, eps), layer.gate_up, layer.gate_up_bias)
        gate, up = gated.chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, layer.down, layer.down_bias)
    return F.rms_norm(x, size, weights.norm, eps)
