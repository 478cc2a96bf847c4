"""Log probabilities of some tokens, gathered where the logits are: [n, vocabulary], fp32, on any device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from copydesk.decode.sampling import Floats
from copydesk.grammar.trie import Trie

ROWS_AT_ONCE = 8
"""Logits that are exponentiated at a time: they stay in the processor's cache, and a large tree's are not there twice."""


def log_probabilities(
    logits: torch.Tensor,
    rows: Sequence[int] | npt.NDArray[np.int64],
    tokens: Sequence[int] | npt.NDArray[np.int64],
) -> Floats:
    """The model's own log probability of each of `tokens`, the k-th by row `rows[k]`: float64 [len(tokens)]."""
    places = torch.as_tensor(rows, dtype=torch.int64, device=logits.device)
    ids = torch.as_tensor(tokens, dtype=torch.int64, device=logits.device)
    together = ROWS_AT_ONCE if logits.device.type == "cpu" else len(logits)
    total = torch.cat([_log_sum_exp(part) for part in logits.split(together)])
    found: Floats = (logits[places, ids].double() - total[places]).cpu().numpy()
    return found


def edge_log_probabilities(trie: Trie, logits: torch.Tensor) -> Floats:
    """Of every edge. logits: [nodes, vocabulary]."""
    return log_probabilities(logits, trie.edge_nodes, trie.edge_tokens)


def judged(logits: torch.Tensor, token: int) -> Floats:
    """Of one token behind each row: float64 [n]."""
    found: Floats = (logits[:, token].double() - _log_sum_exp(logits)).cpu().numpy()
    return found


def _log_sum_exp(rows: torch.Tensor) -> torch.Tensor:
    """float64 [n] of float32 [n, vocabulary]: numbers are as exact as they came, and added up as float64."""
    most = rows.amax(-1, keepdim=True)
    return (rows - most).exp_().sum(-1, dtype=torch.float64).log_() + most[:, 0]
