"""What the rooms above may ask of any model.

Knows signatures alone: nothing about architectures, devices or vocabularies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch

from copydesk.models.feed import Feed
from copydesk.models.kv import Pool
from copydesk.models.row import Row


class Model(Protocol):
    """A causal language model over packed rows.

    `max_positions` is the context in tokens, `kv_bytes_per_slot` what one slot of a row costs.
    """

    @property
    def name(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    @property
    def device(self) -> torch.device: ...

    @property
    def dtype(self) -> torch.dtype: ...

    @property
    def max_positions(self) -> int: ...

    @property
    def kv_bytes_per_slot(self) -> int: ...

    @property
    def pool(self) -> Pool:
        """The KV buffers of all rows, with their byte budget."""
        ...

    def new_row(self, capacity: int) -> Row:
        """An empty row of at least `capacity` slots. It grows by itself."""
        ...

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        """One forward pass for all feeds; appends their tokens to their rows and fills in `feed.slots`.

        Returns, per feed, fp32 logits [len(feed.outputs), vocab_size] on the model's device, the caller's to
        keep. Raises ContextLengthError, CacheError (malformed feed) or OutOfMemoryError; all rows are then as
        before.
        """
        ...
