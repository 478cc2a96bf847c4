"""One decoder layer with adapters, in two ways that compute the same: native kernels (bf16, CPU), and torch's own operators.

Both run forward and towards the input with the merged weights W + s B A (made once a step, `model.AdaptedModel`), and get the
adapters' gradients from thin products alone: no gradient as large as a weight is ever made, and what is trained is what will be
served. Notation: x [B, T, E]; H query heads, K key heads, width D; r the adapters' rank.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
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
    """A layer's tensors as a step computes with them; the four weights are merged ones."""

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
    """By torch's operators. adapters: (A [r, in], B [out, r]) in the order of LINEARS."""
    B, T, E = x.shape
    H, K, D = shape.heads, shape.kv_heads, shape.width

    def linear(
        y: torch.Tensor, weight: torch.Tensor, index: int, bias: torch.Tensor | None = None
    ) -> torch.Tensor:
        out: torch.Tensor = MergedLinear.apply(y, weight, bias, *adapters[index], shape.scale)  # type: ignore[no-untyped-call]
        return out

    turned, gated = pointwise(compiled=x.is_cuda)
    y = F.rms_norm(x, (E,), frozen.input_norm, shape.eps)
    q, k, v = linear(y, frozen.qkv, 0, frozen.qkv_bias).split((H * D, K * D, K * D), -1)
    q, k, v = (part.view(B, T, -1, D).transpose(1, 2) for part in (q, k, v))
    if frozen.head_norms is not None:
        q, k = (F.rms_norm(p, (D,), w, shape.eps) for p, w in zip((q, k), frozen.head_norms, strict=True))
    k, v = (part.repeat_interleave(H // K, 1) for part in (k, v))
    seen = F.scaled_dot_product_attention(
        turned(q, rope), turned(k, rope), v, attn_mask=mask, is_causal=mask is None
    )
    x = x + linear(seen.transpose(1, 2).reshape(B, T, H * D), frozen.out, 1)
    inner = gated(linear(F.rms_norm(x, (E,), frozen.mlp_norm, shape.eps), frozen.gate_up, 2))
    return x + linear(inner, frozen.down, 3)


@cache
def pointwise(*, compiled: bool) -> tuple[Callable[..., torch.Tensor], Callable[..., torch.Tensor]]:
    """`rotated` and `swiglu`. compiled: one kernel each; steps of `coder-base` are a sixth shorter on an H200."""
    if not compiled:
        return rotated, swiglu
    return torch.compile(rotated, dynamic=True), torch.compile(swiglu, dynamic=True)


def swiglu(gate_up: torch.Tensor) -> torch.Tensor:
    """[..., 2 F] -> [..., F]"""
    gate, up = gate_up.chunk(2, -1)
    return F.silu(gate) * up


class MergedLinear(torch.autograd.Function):
    """y [..., in] by the merged weight [out, in], whose gradient goes to A [r, in] and B [out, r] (fp32) alone."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> torch.Tensor:
        y, weight, bias, down, up, ctx.scale = args
        ctx.save_for_backward(y, weight, down, up)
        return F.linear(y, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        y, weight, down, up = ctx.saved_tensors
        d_down, d_up = thin_gradients(y.flatten(0, -2), grads[0].flatten(0, -2), down, up, ctx.scale)
        return grads[0] @ weight, None, None, d_down, d_up, None


def thin_gradients(
    y: torch.Tensor, g: torch.Tensor, down: torch.Tensor, up: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """fp32 gradients of A and B, from a linear layer's input y [N, in] and the gradient g [N, out] of its output."""
    down, up = down.to(y.dtype), up.to(y.dtype)
    d_down = ((g @ up).t() @ y).float().mul_(scale)
    # This way round: oneDNN takes nearly three times as long for the product with the wide matrix transposed.
    d_up = ((y @ down.t()).t() @ g).t().float().mul_(scale)
    return d_down, d_up


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
            down, up = adapters[2 * index : 2 * index + 2]
            found[2 * index : 2 * index + 2] = thin_gradients(y, g, down, up, ctx.scale)

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
