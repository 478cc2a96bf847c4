"""What the tokens of a row see of each other where several branches share one page.

A row is a page of P tokens and branches behind it. A token of the page sees the page up to itself; one of a branch sees the whole
page and its own branch up to itself, at the positions it would have were its branch the only one. Knows no model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray


class Segments(NamedTuple):
    """For each token of rows [B, T], int32: it sees tokens [0, shared) and [own, itself].

    own: where its branch begins, 0 in the page. shared: tokens of the page, 0 in the page itself.
    """

    own: torch.Tensor
    shared: torch.Tensor

    @classmethod
    def of(cls, own: NDArray[np.int32], shared: NDArray[np.int32]) -> Segments:
        return cls(*(torch.from_numpy(np.ascontiguousarray(part)) for part in (own, shared)))

    @property
    def positions(self) -> torch.Tensor:
        """int32 [B, T]: a branch goes on where the page ends."""
        at = torch.arange(self.own.shape[1], dtype=torch.int32, device=self.own.device)
        return at - self.own + self.shared

    @property
    def mask(self) -> torch.Tensor:
        """bool [B, 1, T, T]: which keys (last) each query sees."""
        at = torch.arange(self.own.shape[1], device=self.own.device)
        own, shared = self.own[:, :, None], self.shared[:, :, None]
        return (((at >= own) & (at <= at[:, None])) | (at < shared))[:, None]
