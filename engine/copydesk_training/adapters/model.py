"""A frozen base with adapters on its linear layers and trained rows for the edit format's tokens.

Parameters are fp32 and few: A and B of every linear layer, and the new rows. Knows no data, no optimiser and no files.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from copydesk.adapters.base import Base
from copydesk_training.adapters.layer import LINEARS, Frozen, NativeLayer, Shape, layer
from copydesk_training.adapters.widened import first_down
from copydesk_training.fused import FusedNorm, Places, fused_available
from copydesk_training.kernels import Kernels
from copydesk_training.loss import HeadLoss
from copydesk_training.model import rope_tables
from copydesk_training.segments import Segments

SCALE = 2.0
"""Of B A, whatever the rank: alpha = 2 r (LoRA, arXiv 2106.09685, section 4.1)."""
UNSEEN = -30_000.0
"""Added to the score of a token that is not seen."""


class AdaptedModel(nn.Module):
    """`base` with adapters of `rank`, and `rows` [R, E] fp32 for tokens V .. V + R - 1 behind its own.

    A starts random and B zero, so that the first forward is the base's (LoRA, section 4.1). `refresh` must follow every change of
    the parameters. upper: how many layers learn, from the last one down; all by default. With fewer, rows learn as outputs alone.
    """

    def __init__(
        self,
        base: Base,
        rows: torch.Tensor,
        rank: int,
        *,
        seed: int = 0,
        kernels: Kernels | None = None,
        upper: int | None = None,
    ) -> None:
        super().__init__()
        config = base.config
        self.base, self.config, self.rank = base, config, rank
        self.first = 0 if upper is None else max(0, config.layers - upper)
        device, dtype = base.embedding.device, base.embedding.dtype
        start = torch.Generator().manual_seed(seed)
        self.adapters = nn.ParameterDict()
        for i in range(config.layers):
            for name, (outputs, inputs) in config.linears.items():
                down = first_down(rank, inputs, start)
                up, learns = torch.zeros(outputs, rank, device=device), i >= self.first
                self.adapters[f"{i}_{name}_down"] = nn.Parameter(down.to(device), requires_grad=learns)
                self.adapters[f"{i}_{name}_up"] = nn.Parameter(up, requires_grad=learns)
        self.rows = nn.Parameter(rows.float().clone().to(device))
        # The embedding with the rows behind it; a head of its own gets the same rows.
        self.table = torch.cat((base.embedding, rows.to(device, dtype)))
        self.head = self.table if base.head is None else torch.cat((base.head, rows.to(device, dtype)))
        self.rope = rope_tables(config.positions, config.width, config.theta, device)
        self.shape = Shape(config.heads, config.kv_heads, config.width, config.eps, SCALE)
        native = fused_available(device, dtype, config.inner) and base.layers[0].head_norms is None
        self.kernels = kernels if native else None
        self.merged = [{k: w.clone() for k, w in found.linears.items()} for found in base.layers]

    @torch.no_grad()
    def refresh(self) -> None:
        """Bring the table and the merged weights up to the parameters."""
        for table in {id(t): t for t in (self.table, self.head)}.values():
            table[self.config.vocab :] = self.rows.to(table.dtype)
        for i, merged in enumerate(self.merged):
            for name, weight in merged.items():
                down, up = self._pair(i, name)
                weight.copy_(torch.addmm(self.base.layers[i].linears[name].float(), up, down, alpha=SCALE))

    def _pair(self, index: int, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        return self.adapters[f"{index}_{name}_down"], self.adapters[f"{index}_{name}_up"]

    def _frozen(self, index: int) -> Frozen:
        found = self.base.layers[index]
        qkv, out, gate_up, down = (self.merged[index][name] for name in LINEARS)
        norms = found.input_norm, found.mlp_norm
        return Frozen(*norms, qkv, out, gate_up, down, found.qkv_bias, found.head_norms)

    def hidden(self, ids: torch.Tensor, segments: Segments | None = None) -> torch.Tensor:
        """Hidden states [B, T, E] behind the final norm, of ids [B, T]; without `segments` each row is one text."""
        with self._gradients(0):
            x: torch.Tensor = _Embed.apply(ids, self.table, self.rows)  # type: ignore[no-untyped-call]
        count, eps = self.config.layers, self.config.eps
        pairs = [tuple(self._pair(i, name) for name in LINEARS) for i in range(count)]
        if self.kernels is not None:
            places = None if segments is None else Places(segments)
            for i in range(count):
                adapters = [part for pair in pairs[i] for part in pair]
                with self._gradients(i):
                    x = NativeLayer.apply(  # type: ignore[no-untyped-call]
                        x, self._frozen(i), self.shape, self.rope, places, self.kernels, *adapters
                    )
            return FusedNorm.apply(x, self.base.norm, eps, self.kernels)  # type: ignore[no-untyped-call]
        if segments is None:
            rope, mask = (self.rope[0][: ids.shape[1]], self.rope[1][: ids.shape[1]]), None
        else:
            at = segments.positions[:, None]
            rope = self.rope[0][at], self.rope[1][at]
            # Added to the scores: attention would make this of a mask of booleans anew in every layer.
            seen = segments.mask
            mask = torch.zeros_like(seen, dtype=x.dtype).masked_fill_(~seen, UNSEEN)
        with attention_kernel(x.device):
            for i in range(count):
                with self._gradients(i):
                    x = layer(x, self._frozen(i), pairs[i], self.shape, rope, mask)
        return F.rms_norm(x, (self.config.hidden,), self.base.norm, eps)

    def _gradients(self, index: int) -> AbstractContextManager[None]:
        """Round a layer: below the first one that learns nothing is kept for a backward."""
        return nullcontext() if index >= self.first else torch.no_grad()

    def loss(
        self, hidden: torch.Tensor, where: torch.Tensor, target: torch.Tensor, coefficient: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `loss.HeadLoss`; the gradient of the head is that of the new rows alone."""
        args = (hidden.flatten(0, 1), self.head, where, target, coefficient, self.kernels, self.rows)
        total, each = HeadLoss.apply(*args)  # type: ignore[no-untyped-call]
        return total, each


def attention_kernel(device: torch.device) -> AbstractContextManager[None]:
    """The kernel of attention in the layers inside. On an H200 its gradients agree with the plain product's, with `UNSEEN`; with
    minus infinity and the kernel that torch takes by itself they were NaN for Qwen2.5 (torch 2.11, bf16).
    """
    efficient = SDPBackend.EFFICIENT_ATTENTION
    return sdpa_kernel(efficient) if device.type == "cuda" else nullcontext()


class _Embed(torch.autograd.Function):
    """Rows of the table; only the new ones, behind the base's, get a gradient (fp32)."""

    @staticmethod
    def forward(ctx: Any, ids: torch.Tensor, table: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(ids)
        ctx.first, ctx.shape = len(table) - len(rows), rows.shape
        return F.embedding(ids, table)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (ids,) = ctx.saved_tensors
        flat = ids.reshape(-1)
        chosen = (flat >= ctx.first).nonzero().squeeze(1)
        found = torch.zeros(ctx.shape, dtype=torch.float32, device=ids.device)
        values = grads[0].reshape(-1, ctx.shape[1]).index_select(0, chosen).float()
        found.index_add_(0, flat.index_select(0, chosen) - ctx.first, values)
        return None, None, found
