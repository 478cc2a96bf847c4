"""One row's buffer as a forward sees it: where each layer writes, and attention over what is there.

All views of all layers are cut before the layers run, so a layer costs a copy and an attention call.
"""

from __future__ import annotations

from typing import cast

import torch
import torch.nn.functional as F

from copydesk.models.feed import RowPlan
from copydesk.models.kv import PooledStore
from copydesk.models.masks import CausalStrip, additive
from copydesk.models.weights import Shape

GROUPED = 16
"""On CPU, up to this many query tokens have the heads of a group stacked into the query dimension (measured:
half the time of `enable_gqa`); above, scaled_dot_product_attention shares the keys itself."""
WIDENED = 16
"""On CPU, up to this many query tokens are answered in float32, whatever keys and values are kept in: the kernels of narrower
types pack all keys anew for each call (measured: float32 with its conversion takes 0.6 to 0.8 of their time, and a third for
one query)."""


class RowViews:
    """Views of one planned row. `first` and `end` bound its tokens among the forward's flat ones."""

    __slots__ = (
        "_group",
        "_grouped",
        "_heads",
        "_keys",
        "_kv_heads",
        "_mask",
        "_slots",
        "_targets",
        "_values",
        "_widened",
        "end",
        "first",
        "n",
    )

    def __init__(
        self,
        row_plan: RowPlan,
        first: int,
        shape: Shape,
        strip: CausalStrip,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        n = len(row_plan.slots)
        self.n, self.first, self.end = n, first, first + n
        heads, kv_heads = shape.heads, shape.kv_heads
        self._heads, self._kv_heads, self._group = heads, kv_heads, heads // kv_heads
        (buffer,) = cast(PooledStore, row_plan.row.store).buffer  # [layers, capacity, 2 Hk, D]
        held = buffer[:, None, : row_plan.keys].transpose(2, 3)  # [layers, 1, 2 Hk, keys, D]
        self._keys = held[:, :, :kv_heads].unbind(0)
        self._values = held[:, :, kv_heads:].unbind(0)
        if row_plan.start >= 0:
            self._slots = None
            self._targets = buffer[:, row_plan.start : row_plan.start + n].unbind(0)
        else:
            self._slots = torch.tensor(row_plan.slots, device=device)
            self._targets = buffer.unbind(0)
        self._grouped = n <= GROUPED or device.type != "cpu"
        self._widened = n <= WIDENED and device.type == "cpu" and dtype != torch.float32
        mask: torch.Tensor | None
        if row_plan.mask is not None:
            mask = additive(row_plan.mask, device, dtype)
        elif n > 1:
            mask = strip.mask(n, row_plan.keys)
        else:
            mask = None
        if mask is not None and n > 1 and self._grouped and self._group > 1:
            mask = mask.repeat_interleave(self._group, 0)
        elif mask is not None and n == 1:
            mask = mask.expand(self._group, -1)
        self._mask = mask.float() if mask is not None and self._widened else mask

    def write(self, layer: int, states: torch.Tensor) -> None:
        """Store keys and values [n, 2 Hk, D] of one layer."""
        if self._slots is None:
            self._targets[layer].copy_(states)
        else:
            self._targets[layer].index_copy_(0, self._slots, states)

    def attend(self, layer: int, queries: torch.Tensor) -> torch.Tensor:
        """Attention of queries [n, Hq, D] over the row: [n, Hq D]."""
        keys, values = self._keys[layer], self._values[layer]
        if self._widened:
            return self._mixed(queries.float(), keys.float(), values.float()).to(queries.dtype)
        return self._mixed(queries, keys, values)

    def _mixed(self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        n, kv_heads, group, mask = self.n, self._kv_heads, self._group, self._mask
        width = queries.shape[-1]
        if n == 1:
            grouped = queries.view(1, kv_heads, group, width)
            return F.scaled_dot_product_attention(grouped, keys, values, mask).reshape(1, self._heads * width)
        if self._grouped:
            grouped = (
                queries.view(n, kv_heads, group, width).transpose(0, 1).reshape(1, kv_heads, n * group, width)
            )
            mixed = F.scaled_dot_product_attention(grouped, keys, values, mask)
            return mixed.reshape(kv_heads, n, group * width).transpose(0, 1).reshape(n, self._heads * width)
        mixed = F.scaled_dot_product_attention(
            queries.transpose(0, 1)[None], keys, values, mask, enable_gqa=group > 1
        )
        return mixed[0].transpose(0, 1).reshape(n, self._heads * width)
