"""Batches made ahead in a process of their own.

A GPU takes less time for a batch than Python takes to put it together, and a thread would take turns with the one that launches
kernels. The batches and their order are those of `Batches.next`. Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch.utils.data import DataLoader, IterableDataset

from copydesk_training.batches import Batch, Batches

AHEAD = 8
"""Batches that wait."""


class _Stream(IterableDataset[Batch]):
    def __init__(self, batches: Batches, step: int) -> None:
        self.batches, self.step = batches, step

    def __iter__(self) -> Iterator[Batch]:
        while True:
            yield self.batches.next(self.step)
            self.step += 1


def prefetched(batches: Batches, step: int) -> Iterator[Batch]:
    """The batches from `step` on, without end. The process that makes them starts with the first, and ends with the iterator."""
    # Forked, it has the shards mapped already; elsewhere it would be sent their bytes.
    loader = DataLoader(
        _Stream(batches, step),
        batch_size=None,
        num_workers=1,
        prefetch_factor=AHEAD,
        multiprocessing_context="fork",
    )
    return iter(loader)
