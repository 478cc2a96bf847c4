"""What the tokens of a row see of each other where several branches share one page.

A row is a page of P tokens and branches behind it. A token of the page sees the page up to itself; one of a branch sees the whole
page and its own branch up to itself. A branch may continue another one, its parent (a candidate the request it answers): then it
sees the whole parent as well. Every token stands at the position it would have were its branch the only one. Knows no model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray


class Segments(NamedTuple):
    """For each token of rows [B, T], int32: it sees tokens [0, shared), [parent, parent_end) and [own, itself].

    own: where its branch begins, 0 in the page. shared: tokens of the page, 0 in the page itself. parent, parent_end: the tokens
    of the branch that its branch continues; both are `shared` where it continues the page itself.
    """

    own: torch.Tensor
    shared: torch.Tensor
    parent: torch.Tensor
    parent_end: torch.Tensor

    @classmethod
    def of(
        cls,
        own: NDArray[np.int32],
        shared: NDArray[np.int32],
        parent: NDArray[np.int32] | None = None,
        parent_end: NDArray[np.int32] | None = None,
    ) -> Segments:
        """Without parents, every branch continues the page."""
        parts = (
            own,
            shared,
            shared if parent is None else parent,
            shared if parent_end is None else parent_end,
        )
        return cls(*(torch.from_numpy(np.ascontiguousarray(part)) for part in parts))

    @property
    def positions(self) -> torch.Tensor:
        """int32 [B, T]: a branch goes on where its parent ends, and that where the page does."""
        at = torch.arange(self.own.shape[1], dtype=torch.int32, device=self.own.device)
        return at - self.own + self.shared + (self.parent_end - self.parent)

    @property
    def first_behind_page(self) -> torch.Tensor:
        """int32 [B, T]: the first token behind the page that each token sees, 0 in the page."""
        return torch.where(self.parent_end > self.parent, self.parent, self.own)

    @property
    def mask(self) -> torch.Tensor:
        """bool [B, 1, T, T]: which keys (last) each query sees."""
        at = torch.arange(self.own.shape[1], device=self.own.device)
        own, shared, parent, parent_end = (part[:, :, None] for part in self)
        mine = (at >= own) & (at <= at[:, None])
        return (mine | (at < shared) | ((at >= parent) & (at < parent_end)))[:, None]
