"""An adapter of a higher rank that computes what one of a lower rank does: where there is more to learn than it has room for.

The new rows of A are drawn as those of a new adapter are, the new columns of B are zero (LoRA, arXiv 2106.09685, section 4.1).
Knows no files and no training.
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from copydesk.adapters.adapter_file import Adapter
from copydesk.errors import TrainingError


def first_down(rank: int, inputs: int, draw: torch.Generator) -> torch.Tensor:
    """A [rank, inputs] before any training, fp32."""
    bound = 1 / math.sqrt(inputs)
    return torch.empty(rank, inputs).uniform_(-bound, bound, generator=draw)


def widened(adapter: Adapter, rank: int, seed: int = 0) -> Adapter:
    """`adapter` with `rank`. Raises TrainingError where it has more already."""
    more = rank - adapter.state.rank
    if more < 0:
        raise TrainingError(f"the adapter has rank {adapter.state.rank}, which cannot become {rank}")
    draw = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, tensor in adapter.tensors.items():
        if name.endswith("_down"):
            tensors[name] = torch.cat((tensor.float(), first_down(more, tensor.shape[1], draw)))
        else:
            tensors[name] = torch.cat((tensor.float(), torch.zeros(len(tensor), more)), 1)
    return Adapter(replace(adapter.state, rank=rank), tensors, adapter.rows)
