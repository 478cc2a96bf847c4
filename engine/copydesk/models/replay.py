"""A model that is made to say a given text while every forward pass is real.

For demonstrations and benchmarks: forwards, masks and caches are those of the model underneath, and only the
choice is scripted, so that formats a model was never trained for can be timed on equal terms. Knows
positions, not programs.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from copydesk.models.feed import Feed
from copydesk.models.model import Model
from copydesk.models.row import Row

_BOOST = 1e4


class ReplayModel:
    """Raises, for each context at position p of a lane, the logit of the script's token for position p + 1, unless tokens fed
    with it have left the script.

    `scripts` maps an owner to (position of the script's first token, tokens). Other owners are left alone.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.scripts: dict[int, tuple[int, Sequence[int]]] = {}
        self.name = f"replay of {model.name}"
        self.vocab_size = model.vocab_size
        self.device = model.device
        self.dtype = model.dtype
        self.max_positions = model.max_positions
        self.kv_bytes_per_slot = model.kv_bytes_per_slot
        self.pool = model.pool

    def new_row(self, capacity: int) -> Row:
        return self.model.new_row(capacity)

    @torch.inference_mode()
    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        answers = self.model.forward(feeds)
        for feed, logits in zip(feeds, answers, strict=True):
            first, script = self.scripts.get(feed.owner, (0, ()))
            for row, index in enumerate(feed.outputs):
                at = feed.positions[index] + 1 - first
                if 0 <= at < len(script) and _follows(feed, index, first, script):
                    logits[row, script[at]] += _BOOST
        return answers


def _follows(feed: Feed, index: int, first: int, script: Sequence[int]) -> bool:
    """Whether the token at `index` and those before it in the feed are the script's, as far as it goes."""
    while index >= 0 and (at := feed.positions[index] - first) >= 0:
        if at >= len(script) or feed.tokens[index] != script[at]:
            return False
        index = index - 1 if feed.parents is None else feed.parents[index]
    return True
