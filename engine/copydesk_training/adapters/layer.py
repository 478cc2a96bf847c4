"""One decoder layer with adapters, in two ways that compute the same: native kernels (bf16, CPU), and torch's own operators.

The native way runs forward and towards the input with the merged weights W + s B A (made once a step, `model.AdaptedModel`), and
gets the adapters' gradients from thin products alone: no gradient as large as a weight is ever made, and what is trained is
what will be served. Notation: x [B, T, E]; H query heads, K key heads, width D; r the adapters' rank.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from copydesk_training.fused import Places, attend, attend_backward
from copydesk_training.kernels import Heads, HeadShape, Kernels
from copydesk_training.model import Rope, rotated

LINEARS = ("qkv", "out", "gate_up", "down")


class Shape(NamedTuple):
    """What a layer has to know beside its tensors. scale: of B A."""

    heads: int
    kv_heads: int
    width: int
    eps: float
    scale: float


class Frozen(NamedTuple):
    """A layer's tensors that are not trained; the four weights are merged ones in the native way."""

    input_norm: torch.Tensor
    mlp_norm: torch.Tensor
    qkv: torch.Tensor
    out: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor
    qkv_bias: torch.Tensor | None
    head_norms: tuple[torch.Tensor, torch.Tensor] | None


def layer(
    x: torch.Tensor,
    frozen: Frozen,
    adapters: tuple[tuple[torch.Tensor, torch.Tensor], ...],
    shape: Shape,
    rope: Rope,
    mask: torch.Tensor | None,
) -> torch.Tensor:
    """By torch's operators. adapters: (A [r, in], B [out, r]) in the order of LINEARS; frozen weights are the base's own."""
    B, T, E = x.shape
    H, K, D = shape.heads, shape.kv_heads, shape.width

    def linear(
        y: torch.Tensor, weight: torch.Tensor, index: int, bias: torch.Tensor | None = None
    ) -> torch.Tensor:
        down, up = (part.to(y.dtype) for part in adapters[index])
        return F.linear(y, weight, bias) + F.linear(F.linear(y, down), up) * shape.scale

    y = F.rms_norm(x, (E,), frozen.input_norm, shape.eps)
    q, k, v = linear(y, frozen.qkv, 0, frozen.qkv_bias).split((H * D, K * D, K * D), -1)
    q, k, v = (part.view(B, T, -1, D).transpose(1, 2) for part in (q, k, v))
    if frozen.head_norms is not None:
        q, k = (F.rms_norm(p, (D,), w, shape.eps) for p, w in zip((q, k), frozen.head_norms, strict=True))
    k, v = (part.repeat_interleave(H // K, 1) for part in (k, v))
    seen = F.scaled_dot_product_attention(
        rotated(q, rope), rotated(k, rope), v, attn_mask=mask, is_causal=mask is None
    )
    x = x + linear(seen.transpose(1, 2).reshape(B, T, H * D), frozen.out, 1)
    gate, up = linear(F.rms_norm(x, (E,), frozen.mlp_norm, shape.eps), frozen.gate_up, 2).chunk(2, -1)
    return x + linear(F.silu(gate) * up, frozen.down, 3)


class NativeLayer(torch.autograd.Function):
    """The same with native kernels, for models without head norms. The adapters are fp32 leaves; so are their gradients."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> torch.Tensor:
        x, frozen, shape, rope, places, kernels, *adapters = args
        k: Kernels = kernels
        f: Frozen = frozen
        B, T, E = x.shape
        H, K, D, eps, _ = shape
        rows = x.contiguous().view(B * T, E)
        _, y1, inverse1 = k.add_norm(rows, None, f.input_norm, eps)
        qkv = y1 @ f.qkv.t() if f.qkv_bias is None else torch.addmm(f.qkv_bias, y1, f.qkv.t())
        head_shape = HeadShape(B, T, H, K, D)
        heads = k.split_heads(qkv, rope, head_shape, None if places is None else places.positions)
        by_head, kept = attend(k, heads, places)
        attended = head_shape.by_row(by_head)
        x2, y2, inverse2 = k.add_norm(rows, attended @ f.out.t(), f.mlp_norm, eps)
        gate_up = y2 @ f.gate_up.t()
        out: torch.Tensor = torch.addmm(x2, k.swiglu(gate_up), f.down.t()).view(B, T, E)
        ctx.save_for_backward(
            rows, y1, inverse1, *heads, attended, x2, y2, inverse2, gate_up, *adapters, *kept
        )
        ctx.scale, ctx.head_shape, ctx.frozen, ctx.rope = shape.scale, head_shape, frozen, rope
        ctx.places, ctx.kernels = places, k
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        rows, y1, inverse1, query, pairs, attended, x2, y2, inverse2, gate_up, *rest = ctx.saved_tensors
        adapters, kept = rest[:8], rest[8:]
        k: Kernels = ctx.kernels
        f: Frozen = ctx.frozen
        places: Places | None = ctx.places
        shape: HeadShape = ctx.head_shape
        found: list[torch.Tensor | None] = [None] * 8

        def learn(index: int, y: torch.Tensor, g: torch.Tensor) -> None:
            down, up = (part.to(y.dtype) for part in adapters[2 * index : 2 * index + 2])
            found[2 * index] = ((g @ up).t() @ y).float().mul_(ctx.scale)
            # This way round: oneDNN takes nearly three times as long for the product with the wide matrix transposed.
            found[2 * index + 1] = ((y @ down.t()).t() @ g).t().float().mul_(ctx.scale)

        g = grads[0].contiguous().view(rows.shape)
        d_gate_up, inner = k.swiglu_backward(gate_up, g @ f.down)
        learn(3, inner, g)
        learn(2, y2, d_gate_up)
        dx2, _ = k.norm_backward(x2, f.mlp_norm, inverse2, d_gate_up @ f.gate_up, g)
        learn(1, attended, dx2)
        d_heads = attend_backward(k, Heads(query, pairs), kept, shape.by_head(dx2 @ f.out), places)
        d_qkv = k.join_heads(d_heads, ctx.rope, shape, None if places is None else places.positions)
        learn(0, y1, d_qkv)
        dx, _ = k.norm_backward(rows, f.input_norm, inverse1, d_qkv @ f.qkv, dx2)
        return (dx.view(grads[0].shape), None, None, None, None, None, *found)
