"""One decoder layer as one autograd function over native kernels: bf16, CPU.

Matrix products are torch's (oneDNN); everything between them is `kernels.py`. Attention is products of query blocks with the keys
they may see: without matrix instructions made for it, torch's flash kernel for CPUs reaches a sixth of the rate of plain bf16
products. Computes what `model.Layer` computes and keeps for the backward pass only what that pass reads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch

from copydesk_training.kernels import Heads, HeadShape, Kernels
from copydesk_training.segments import Segments

BLOCK = 192
"""Tokens of a block of attention, at most: about what balances wasted products against small ones."""
_WIDEST = 8192


def fused_available(device: torch.device, dtype: torch.dtype, inner: int) -> bool:
    """Whether the fused layer can run: bf16 on a CPU."""
    return device.type == "cpu" and dtype == torch.bfloat16 and inner <= _WIDEST


def _blocks(length: int) -> list[tuple[int, int]]:
    """Query ranges that cover `length`, about equally long."""
    count = -(-length // BLOCK)
    borders = [length * k // count for k in range(count + 1)]
    return list(pairwise(borders))


class Places:
    """Where the tokens of grouped rows are and what they see, as the kernels want it; made once a batch.

    keys: for each block of queries, (cut, gap): it needs keys [0, cut) and [cut + gap, its end).
    """

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.positions = segments.positions.contiguous()
        page = int(segments.shared.max())
        first_seen = segments.first_behind_page
        self.keys: list[tuple[int, int]] = []
        for begin, end in _blocks(segments.own.shape[1]):
            # A token of the page sees from 0 on, so a block with one has no gap.
            first = int(first_seen[:, begin:end].min())
            self.keys.append((min(page, end), first - page) if first > page else (end, 0))


def _seen(tensor: torch.Tensor, end: int, key: tuple[int, int]) -> torch.Tensor:
    """The keys of a block that ends at `end`, of [K, T, D]."""
    cut, gap = key
    return tensor[:, :end] if not gap else torch.cat((tensor[:, :cut], tensor[:, cut + gap : end]), 1)


def attend(k: Kernels, heads: Heads, places: Places | None = None) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Attention of the heads: the result, like `query`, and each block's probabilities. Causal, or as `places` says."""
    query, (key, value) = heads
    out = torch.empty_like(query)
    kept: list[torch.Tensor] = []
    group = query.shape[1] // key.shape[1]
    segments = None if places is None else places.segments
    for n, (begin, end) in enumerate(_blocks(key.shape[1])):
        keys = places.keys[n] if places is not None else (end, 0)
        rows = slice(begin * group, end * group)
        scores = query[:, rows] @ _seen(key, end, keys).mT
        k.causal_softmax(scores, begin, segments, keys[1], group=group)
        out[:, rows] = scores @ _seen(value, end, keys)
        kept.append(scores)
    return out, kept


def attend_backward(
    k: Kernels,
    heads: Heads,
    kept: list[torch.Tensor],
    grad: torch.Tensor,
    places: Places | None = None,
) -> Heads:
    """The gradient of the heads, from that of the result."""
    query, (key, value) = heads
    length = key.shape[1]
    out = Heads(torch.empty_like(query), torch.empty_like(heads.pairs))
    d_query, (d_key, d_value) = out
    group = query.shape[1] // length
    segments = None if places is None else places.segments
    for n, (begin, end) in reversed(list(enumerate(_blocks(length)))):
        keys = places.keys[n] if places is not None else (end, 0)
        rows = slice(begin * group, end * group)
        probability, g = kept[n], grad[:, rows]
        d_scores = g @ _seen(value, end, keys).mT
        k.causal_softmax_backward(probability, d_scores, begin, segments, keys[1], group=group)
        d_query[:, rows] = d_scores @ _seen(key, end, keys)
        for d, found in ((d_value, probability.mT @ g), (d_key, d_scores.mT @ query[:, rows])):
            cut, gap = keys
            if end == length and not gap:
                d.copy_(found)  # the last block may see every key: then it writes what the others add to
                continue
            if end == length:
                d.zero_()
            if not gap:
                d[:, :end] += found
            else:
                d[:, :cut] += found[:, :cut]
                d[:, cut + gap : end] += found[:, cut:]
    return out


class FusedLayer(torch.autograd.Function):
    """See `model.Layer`. x [B, T, E]; weights as `model.Layer` names them; cosine, sine fp32 [>= T, D]."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> torch.Tensor:
        x, norm1, qkv_w, qkv_b, out_w, norm2, gate_up_w, down_w, cosine, sine, H, eps, places, kernels = args
        k: Kernels = kernels
        B, T, E = x.shape
        rows = x.contiguous().view(B * T, E)
        _, y1, inverse1 = k.add_norm(rows, None, norm1, eps)
        qkv = torch.addmm(qkv_b, y1, qkv_w.t())
        shape = HeadShape(B, T, H, H, E // H)
        heads = k.split_heads(qkv, (cosine, sine), shape, None if places is None else places.positions)
        by_head, kept = attend(k, heads, places)
        attended = shape.by_row(by_head)
        x2, y2, inverse2 = k.add_norm(rows, attended @ out_w.t(), norm2, eps)
        gate_up = y2 @ gate_up_w.t()
        out: torch.Tensor = torch.addmm(x2, k.swiglu(gate_up), down_w.t()).view(B, T, E)
        ctx.save_for_backward(
            rows, norm1, qkv_w, out_w, norm2, gate_up_w, down_w, cosine, sine,
            y1, inverse1, *heads, attended, x2, y2, inverse2, gate_up, *kept,
        )  # fmt: skip
        ctx.shape, ctx.kernels, ctx.places = shape, k, places
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (
            rows, norm1, qkv_w, out_w, norm2, gate_up_w, down_w, cosine, sine,
            y1, inverse1, query, pairs, attended, x2, y2, inverse2, gate_up, *kept,
        ) = ctx.saved_tensors  # fmt: skip
        k: Kernels = ctx.kernels
        shape: HeadShape = ctx.shape
        places: Places | None = ctx.places
        g = grads[0].contiguous().view(rows.shape)
        d_gate_up, inner = k.swiglu_backward(gate_up, g @ down_w)
        d_down = g.t() @ inner
        d_gate_up_w = d_gate_up.t() @ y2
        dx2, d_norm2 = k.norm_backward(x2, norm2, inverse2, d_gate_up @ gate_up_w, g)
        d_out = dx2.t() @ attended
        d_heads = attend_backward(k, Heads(query, pairs), kept, shape.by_head(dx2 @ out_w), places)
        d_qkv = k.join_heads(d_heads, (cosine, sine), shape, None if places is None else places.positions)
        d_qkv_w = d_qkv.t() @ y1
        d_bias = (torch.ones(1, len(d_qkv), dtype=d_qkv.dtype) @ d_qkv).view(-1)
        dx, d_norm1 = k.norm_backward(rows, norm1, inverse1, d_qkv @ qkv_w, dx2)
        weights = (d_norm1, d_qkv_w, d_bias, d_out, d_norm2, d_gate_up_w, d_down)
        return dx.view(grads[0].shape), *weights, None, None, None, None, None, None


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
