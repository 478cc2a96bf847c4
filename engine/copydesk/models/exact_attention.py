"""Attention whose result for a query depends on what that query sees and on nothing else, bit for bit.

Ordinary attention adds floats, so its last bits depend on which other queries, dead slots and masked keys are there. Here
whatever is added up has first been rounded to a grid so coarse that float32 holds every partial sum exactly; the order of a sum
then does not matter. Queries and keys are rounded relative to the largest value of their head, values to one grid per layer,
probabilities to a grid that follows from the sum of all. Knows one layer's tensors; no weights.
"""

from __future__ import annotations

from typing import cast

import torch

from copydesk.models.exact_sums import EXACT, constant, power_above, power_below
from copydesk.models.feed import RowPlan
from copydesk.models.kv import PooledStore
from copydesk.models.masks import additive
from copydesk.models.weights import Shape

VALUE_BITS = 11
"""Bits of a value without its sign."""
CHANCE_BITS = EXACT - VALUE_BITS - 1
"""Bits of the sum of all probabilities, before rounding, which doubles it at most."""
SPREAD = 16.0
"""Values are bounded by this many standard deviations (measured on SmolLM2-135M: the largest has 5.6)."""
_CHANCES = constant(2.0 ** (CHANCE_BITS - 1))
AT_ONCE = 16
"""Query tokens whose scores are held at a time: they stay in the cache."""


def head_bits(width: int) -> int:
    """Bits of a query's and of a key's number, without sign, so that the sum of `width` products is exact."""
    return min(9, (EXACT - (width - 1).bit_length()) // 2)


def value_step(weight: torch.Tensor, norm: torch.Tensor, bias: torch.Tensor | None) -> float:
    """The step of a layer's values, a power of two. weight: [Hk D, E], of the values; norm: [E], of the layer's input."""
    spread = float((weight.float() * norm.float()).norm(dim=1).max())
    shift = float(bias.float().abs().max()) if bias is not None else 0.0
    return power_above(SPREAD * spread + shift) * 2.0**-VALUE_BITS


class ExactViews:
    """One planned row's buffer as a forward sees it, like `RowViews`. `first` and `end` bound its tokens among all."""

    __slots__ = (
        "_group",
        "_keys",
        "_kv_heads",
        "_mask",
        "_slots",
        "_targets",
        "_values",
        "end",
        "first",
        "n",
    )

    def __init__(self, row_plan: RowPlan, first: int, shape: Shape) -> None:
        n = len(row_plan.slots)
        self.n, self.first, self.end = n, first, first + n
        self._kv_heads, self._group = shape.kv_heads, shape.heads // shape.kv_heads
        (buffer,) = cast(PooledStore, row_plan.row.store).buffer  # [layers, capacity, 2 Hk, D]
        held = buffer[:, : row_plan.keys].transpose(1, 2)  # [layers, 2 Hk, keys, D]
        self._keys = held[:, : shape.kv_heads].unbind(0)
        self._values = held[:, shape.kv_heads :].unbind(0)
        if row_plan.start >= 0:
            self._slots = None
            self._targets = buffer[:, row_plan.start : row_plan.start + n].unbind(0)
        else:
            self._slots = torch.tensor(row_plan.slots)
            self._targets = buffer.unbind(0)
        self._mask: torch.Tensor | None = (
            None  # over the last of the keys only, where a query sees all before these
        )
        if row_plan.mask is not None:
            self._mask = additive(row_plan.mask, buffer.device, torch.float32)
        elif n > 1:
            self._mask = torch.full((n, n), float("-inf")).triu_(1)

    def write(self, layer: int, states: torch.Tensor) -> None:
        """Store keys and values [n, 2 Hk, D] of one layer, already rounded."""
        if self._slots is None:
            self._targets[layer].copy_(states)
        else:
            self._targets[layer].index_copy_(0, self._slots, states.to(self._targets[layer].dtype))

    def attend(self, layer: int, queries: torch.Tensor) -> torch.Tensor:
        """Attention of queries [n, Hq, D], scaled and rounded: float32 [n, Hq D]."""
        n, kv_heads, group = self.n, self._kv_heads, self._group
        keys, values = self._keys[layer].float().transpose(1, 2), self._values[layer].float()
        width = queries.shape[-1]
        grouped = queries.view(n, kv_heads, group, width).transpose(0, 1)
        parts: list[torch.Tensor] = []
        for first in range(0, n, AT_ONCE):
            end = min(n, first + AT_ONCE)
            part = grouped[:, first:end].reshape(kv_heads, -1, width)
            scores = torch.bmm(part, keys)
            if self._mask is not None:
                mask = self._mask[first:end, None]
                scores.view(kv_heads, end - first, group, -1)[..., -mask.shape[-1] :].add_(mask)
            mixed = _mixed(scores, values)
            parts.append(mixed.view(kv_heads, end - first, group * width).transpose(0, 1))
        return (torch.cat(parts) if len(parts) > 1 else parts[0]).reshape(n, -1)


def _mixed(scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """[Hk, q, keys] and [Hk, keys, D] to [Hk, q, D]. The scores are overwritten."""
    chances = scores.sub_(scores.amax(-1, keepdim=True)).exp_()
    # float64 adds so finely that the power of two below the sum does not depend on the order.
    below = power_below(chances.sum(-1, keepdim=True, dtype=torch.float64).float())
    chances.mul_(_CHANCES / below).round_()
    return torch.bmm(chances, values).div_(chances.sum(-1, keepdim=True))
