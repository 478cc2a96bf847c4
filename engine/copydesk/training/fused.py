"""One decoder layer as one autograd function over native kernels: bf16, CPU.

Matrix products are torch's (oneDNN); everything between them is `kernels.py`. Attention is products of query blocks with the keys
they may see: without matrix instructions made for it, torch's flash kernel for CPUs reaches a sixth of the rate of plain bf16
products. Computes what `model.Layer` computes and keeps for the backward pass only what that pass reads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch

from copydesk.training.kernels import Kernels

BLOCK = 192
"""Queries of a block of attention, at most: about what balances wasted products against small ones."""
_WIDEST = 8192


def fused_available(device: torch.device, dtype: torch.dtype, inner: int) -> bool:
    """Whether the fused layer can run: bf16 on a CPU."""
    return device.type == "cpu" and dtype == torch.bfloat16 and inner <= _WIDEST


def _blocks(length: int) -> list[tuple[int, int]]:
    """Query ranges that cover `length`, about equally long."""
    count = -(-length // BLOCK)
    borders = [length * k // count for k in range(count + 1)]
    return list(pairwise(borders))


def attend(k: Kernels, parts: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Causal attention of parts [3, K, T, D] (queries scaled): the result [K, T, D], and each block's probabilities."""
    query, key, value = parts
    out = torch.empty_like(query)
    kept: list[torch.Tensor] = []
    for begin, end in _blocks(query.shape[1]):
        scores = query[:, begin:end] @ key[:, :end].mT
        k.causal_softmax(scores, begin)
        out[:, begin:end] = scores @ value[:, :end]
        kept.append(scores)
    return out, kept


def attend_backward(
    k: Kernels, parts: torch.Tensor, kept: list[torch.Tensor], grad: torch.Tensor
) -> torch.Tensor:
    """The gradient [3, K, T, D] of the parts, from that of the result [K, T, D]."""
    query, key, value = parts
    out = torch.empty_like(parts)
    d_query, d_key, d_value = out
    # The last block sees every key, so it writes what the others add to.
    for (begin, end), probability in zip(reversed(_blocks(query.shape[1])), reversed(kept), strict=True):
        g = grad[:, begin:end]
        d_scores = g @ value[:, :end].mT
        k.causal_softmax_backward(probability, d_scores, begin)
        d_query[:, begin:end] = d_scores @ key[:, :end]
        if end == query.shape[1]:
            d_value.copy_(probability.mT @ g)
            d_key.copy_(d_scores.mT @ query[:, begin:end])
        else:
            d_value[:, :end] += probability.mT @ g
            d_key[:, :end] += d_scores.mT @ query[:, begin:end]
    return out


class FusedLayer(torch.autograd.Function):
    """See `model.Layer`. x [B, T, E]; weights as `model.Layer` names them; cosine, sine fp32 [T, D]."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> torch.Tensor:
        x, norm1, qkv_w, qkv_b, out_w, norm2, gate_up_w, down_w, cosine, sine, H, eps, kernels = args
        k: Kernels = kernels
        B, T, E = x.shape
        rows = x.contiguous().view(B * T, E)
        _, y1, inverse1 = k.add_norm(rows, None, norm1, eps)
        qkv = torch.addmm(qkv_b, y1, qkv_w.t())
        scale = (E // H) ** -0.5
        parts = k.split_heads(qkv, (cosine, sine), (B, H, T, E // H), scale).view(3, B * H, T, E // H)
        attended, kept = attend(k, parts)
        attended = attended.view(B, H, T, E // H).transpose(1, 2).reshape(B * T, E)
        x2, y2, inverse2 = k.add_norm(rows, attended @ out_w.t(), norm2, eps)
        gate_up = y2 @ gate_up_w.t()
        inner = k.swiglu(gate_up)
        out: torch.Tensor = torch.addmm(x2, inner, down_w.t()).view(B, T, E)
        ctx.save_for_backward(
            rows, norm1, qkv_w, out_w, norm2, gate_up_w, down_w, cosine, sine,
            y1, inverse1, parts, attended, x2, y2, inverse2, gate_up, inner, *kept,
        )  # fmt: skip
        ctx.shape, ctx.kernels = (B, T, E, H), k
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (
            rows, norm1, qkv_w, out_w, norm2, gate_up_w, down_w, cosine, sine,
            y1, inverse1, parts, attended, x2, y2, inverse2, gate_up, inner, *kept,
        ) = ctx.saved_tensors  # fmt: skip
        k: Kernels = ctx.kernels
        B, T, E, H = ctx.shape
        g = grads[0].contiguous().view(B * T, E)
        d_down = g.t() @ inner
        d_gate_up = k.swiglu_backward(gate_up, g @ down_w)
        d_gate_up_w = d_gate_up.t() @ y2
        dx2, d_norm2 = k.norm_backward(x2, norm2, inverse2, d_gate_up @ gate_up_w, g)
        d_out = dx2.t() @ attended
        d_attended = (dx2 @ out_w).view(B, T, H, E // H).transpose(1, 2).reshape(B * H, T, E // H)
        d_parts = attend_backward(k, parts, kept, d_attended).view(3, B, H, T, E // H)
        d_qkv = k.join_heads(d_parts, (cosine, sine), (E // H) ** -0.5)
        d_qkv_w = d_qkv.t() @ y1
        d_bias = (torch.ones(1, B * T, dtype=d_qkv.dtype) @ d_qkv).view(-1)
        dx, d_norm1 = k.norm_backward(rows, norm1, inverse1, d_qkv @ qkv_w, dx2)
        weights = (d_norm1, d_qkv_w, d_bias, d_out, d_norm2, d_gate_up_w, d_down)
        return dx.view(B, T, E), *weights, None, None, None, None, None


class FusedNorm(torch.autograd.Function):
    """The final RMS norm of x [B, T, E]."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> torch.Tensor:
        x, weight, eps, kernels = args
        rows = x.contiguous().view(-1, x.shape[-1])
        _, y, inverse = kernels.add_norm(rows, None, weight, eps)
        ctx.save_for_backward(rows, weight, inverse)
        ctx.kernels = kernels
        result: torch.Tensor = y.view(x.shape)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        rows, weight, inverse = ctx.saved_tensors
        g = grads[0].contiguous()
        dx, d_weight = ctx.kernels.norm_backward(rows, weight, inverse, g.view(rows.shape), None)
        return dx.view(g.shape), d_weight, None, None
