"""A served model where the engine's own stand: it has their sizes and names, and forwards nothing."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from copydesk.errors import ModelError
from copydesk.models.feed import Feed
from copydesk.models.kv import Pool
from copydesk.models.row import Row


class ServedModel:
    """`Model`, without tensors: nothing of it is on this machine. max_positions: the context in tokens, or in bytes where prompts
    are counted so."""

    device = torch.device("meta")
    dtype = torch.float32
    kv_bytes_per_slot = 0

    def __init__(self, name: str, vocab_size: int, max_positions: int) -> None:
        self.name = name
        self.vocab_size = vocab_size
        self.max_positions = max_positions
        self.pool = Pool(lambda _: (), 0)

    def new_row(self, capacity: int) -> Row:
        """Raises ModelError."""
        raise ModelError(f"{self.name} has no KV cache here ({capacity} slots)")

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        """Raises ModelError."""
        raise ModelError(f"{self.name} is asked by requests, not by forwards ({len(feeds)})")
