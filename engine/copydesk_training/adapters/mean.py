"""The mean of two adapters that began as one: A with A, B with B, row with row.

Runs from one adapter on other data end near enough to each other that the mean of their weights is a model, too ("model
soups", arXiv 2203.05482). Knows no files and no training.
"""

from __future__ import annotations

from copydesk.adapters.adapter_file import Adapter
from copydesk.errors import TrainingError


def mean(newer: Adapter, older: Adapter, share: float = 0.5) -> Adapter:
    """`share` of `newer`, whose state it has, and the rest of `older`. Raises TrainingError where they do not fit together."""
    if not 0 <= share <= 1:
        raise TrainingError(f"a share lies between 0 and 1, not at {share}")
    one, other = newer.state, older.state
    if (one.base, one.tokens, one.rank, one.scale) != (other.base, other.tokens, other.rank, other.scale):
        raise TrainingError("the adapters are of another base, rank or edit format: no mean can be taken")
    tensors = {
        name: older.tensors[name].to(tensor).lerp(tensor, share) for name, tensor in newer.tensors.items()
    }
    return Adapter(one, tensors, older.rows.to(newer.rows).lerp(newer.rows, share))
