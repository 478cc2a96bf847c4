"""Masks as tensors: plain causal ones as views of one strip, others from a plan.

Knows shapes alone, and nothing of slots or owners.
"""

from __future__ import annotations

import torch

from copydesk.models.row import BoolArray


class CausalStrip:
    """Additive causal masks without building them.

    strip[i, j] = 0 where j <= i + past, else -inf; the mask of n queries over past' + n keys is the window of
    columns that begins at past - past', so one strip serves every length up to its own.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype) -> None:
        self._device, self._dtype = device, dtype
        self._width = self._past = 0
        self._strip = torch.empty(0, device=device, dtype=dtype)

    def mask(self, queries: int, keys: int) -> torch.Tensor:
        """[queries, keys]: query i sees keys [0, keys - queries + i]."""
        past = keys - queries
        if queries > self._width or past > self._past:
            self._width = max(queries, self._width, 32)
            self._past = max(2 * past if past > self._past else 0, self._past, 1024)
            shape = (self._width, self._past + self._width)
            self._strip = torch.full(shape, float("-inf"), device=self._device, dtype=self._dtype).triu_(
                self._past + 1
            )
        first = self._past - past
        return self._strip[:queries, first : first + keys]


def additive(mask: BoolArray, device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    """A boolean mask (True: visible) as an additive one of the same shape: 0 or -inf."""
    visible = torch.from_numpy(mask).to(device)
    return torch.zeros(mask.shape, device=device, dtype=dtype).masked_fill_(~visible, float("-inf"))
