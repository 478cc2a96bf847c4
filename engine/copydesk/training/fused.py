"""One decoder layer as one autograd function over native kernels: bf16, CPU.

Matrix products and attention are torch's (oneDNN and the flash kernel for CPUs); everything between them is `kernels.py`.
Computes what `model.Layer` computes and keeps for the backward pass only what that pass reads. Knows no optimiser and no loss.
"""

from __future__ import annotations

from typing import Any

import torch

from copydesk.training.kernels import Kernels

_FORWARD = getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)
_BACKWARD = getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu_backward", None)
_WIDEST = 8192


def fused_available(device: torch.device, dtype: torch.dtype, inner: int) -> bool:
    """Whether the fused layer can run: bf16 on a CPU, and a torch that has its flash kernel for CPUs."""
    fits = device.type == "cpu" and dtype == torch.bfloat16 and inner <= _WIDEST
    return fits and _FORWARD is not None and _BACKWARD is not None


def _heads(qkv: torch.Tensor, B: int, T: int, H: int) -> tuple[torch.Tensor, ...]:
    """Queries, keys, values [B, H, T, D] as views of rows [B T, 3 H D]."""
    return qkv.view(B, T, 3, H, -1).permute(2, 0, 3, 1, 4).unbind(0)


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
        k.rotate(qkv, (cosine, sine), T, H)
        o, logsumexp = _FORWARD(*_heads(qkv, B, T, H), 0.0, True)  # type: ignore[misc]
        attended = o.transpose(1, 2).reshape(B * T, E)
        x2, y2, inverse2 = k.add_norm(rows, attended @ out_w.t(), norm2, eps)
        gate_up = y2 @ gate_up_w.t()
        inner = k.swiglu(gate_up)
        out: torch.Tensor = torch.addmm(x2, inner, down_w.t()).view(B, T, E)
        ctx.save_for_backward(
            rows, norm1, qkv_w, out_w, norm2, gate_up_w, down_w, cosine, sine,
            y1, inverse1, qkv, o, logsumexp, x2, y2, inverse2, gate_up, inner,
        )  # fmt: skip
        ctx.shape, ctx.kernels = (B, T, E, H), k
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (
            rows, norm1, qkv_w, out_w, norm2, gate_up_w, down_w, cosine, sine,
            y1, inverse1, qkv, o, logsumexp, x2, y2, inverse2, gate_up, inner,
        ) = ctx.saved_tensors  # fmt: skip
        k: Kernels = ctx.kernels
        B, T, E, H = ctx.shape
        g = grads[0].contiguous().view(B * T, E)
        d_down = g.t() @ inner
        d_gate_up = k.swiglu_backward(gate_up, g @ down_w)
        d_gate_up_w = d_gate_up.t() @ y2
        dx2, d_norm2 = k.norm_backward(x2, norm2, inverse2, d_gate_up @ gate_up_w, g)
        d_out = dx2.t() @ o.transpose(1, 2).reshape(B * T, E)
        d_o = (dx2 @ out_w).view(B, T, H, E // H).transpose(1, 2)
        parts = _BACKWARD(d_o, *_heads(qkv, B, T, H), o, logsumexp, 0.0, True)  # type: ignore[misc]
        d_qkv = k.interleave(*parts)
        k.rotate(d_qkv, (cosine, sine), T, H, back=True)
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
