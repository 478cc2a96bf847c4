"""Cross-entropy at chosen positions, with the head's product inside: logits exist one chunk at a time.

The gradients of hidden states and embedding are made in the forward pass, chunk by chunk, so no logits are kept. Knows no
model; what the coefficients mean is the caller's.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from copydesk_training.kernels import Kernels

CHUNK = {"cpu": 512, "cuda": 8192}
"""Rows of logits at a time: 512 x 8,192 in bf16 stay in a CPU's cache."""


class HeadLoss(torch.autograd.Function):
    """(sum of coefficient * loss, losses [n] fp32) of hidden [N, E] at rows `where` [n], against `target` [n].

    No row occurs twice in `where`. coefficient [n] fp32. The head is `embedding` [V, E]. `rows` [R, E] fp32, where given, are
    the parameters its last R rows are made from: they get a gradient, and the embedding needs none.
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[torch.Tensor, torch.Tensor]:
        hidden, embedding, where, target, coefficient, kernels, rows = args
        native: Kernels | None = kernels
        chosen = hidden.index_select(0, where)
        d_chosen = torch.empty_like(chosen)
        # A frozen head (LoRA) needs no gradient of its own size.
        learnt = ctx.needs_input_grad[1]
        d_embedding = torch.zeros_like(embedding, dtype=torch.float32) if learnt else None
        d_rows = torch.zeros_like(rows) if rows is not None else None
        losses = []
        size = CHUNK.get(hidden.device.type, 2048)
        for h, t, c, d in zip(
            chosen.split(size), target.split(size), coefficient.split(size), d_chosen.split(size), strict=True
        ):
            logits = h @ embedding.t()
            if native is not None:
                loss = native.cross_entropy(logits, t, c)
                grad = logits
            else:
                wide = logits.float()
                norm = wide.logsumexp(-1, keepdim=True)
                loss = norm.squeeze(1) - wide.gather(1, t[:, None]).squeeze(1)
                grad = (wide - norm).exp_() * c[:, None]
                grad.scatter_add_(1, t[:, None], -c[:, None])
                grad = grad.to(h.dtype)
            losses.append(loss)
            torch.mm(grad, embedding, out=d)
            if d_embedding is not None:
                d_embedding += grad.t() @ h
            if d_rows is not None:
                d_rows += grad[:, -len(rows) :].t() @ h
        each = torch.cat(losses) if losses else coefficient.new_zeros(0)
        ctx.save_for_backward(
            where, d_chosen, None if d_embedding is None else d_embedding.to(embedding.dtype), d_rows
        )
        ctx.rows = hidden.shape[0]
        ctx.mark_non_differentiable(each)
        return (each * coefficient).sum(), each

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        where, d_chosen, d_embedding, d_rows = ctx.saved_tensors
        scale = grads[0]
        d_hidden = d_chosen.new_zeros(ctx.rows, d_chosen.shape[1])
        d_hidden.index_copy_(0, where, d_chosen * scale.to(d_chosen.dtype))
        if d_embedding is not None:
            d_embedding = d_embedding * scale.to(d_embedding.dtype)
        if d_rows is not None:
            d_rows = d_rows * scale
        return d_hidden, d_embedding, None, None, None, None, d_rows


def head_loss(
    hidden: torch.Tensor,
    embedding: torch.Tensor,
    where: torch.Tensor,
    target: torch.Tensor,
    coefficient: torch.Tensor,
    kernels: Kernels | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """See `HeadLoss`: (the sum, differentiable; each loss [n])."""
    total, each = HeadLoss.apply(hidden, embedding, where, target, coefficient, kernels, None)  # type: ignore[no-untyped-call]
    return total, each


def reference_loss(
    hidden: torch.Tensor,
    embedding: torch.Tensor,
    where: torch.Tensor,
    target: torch.Tensor,
    coefficient: torch.Tensor,
) -> torch.Tensor:
    """The same value by torch's own operators, for tests."""
    logits = F.linear(hidden.index_select(0, where), embedding).float()
    return (F.cross_entropy(logits, target, reduction="none") * coefficient).sum()
