"""Loss and teacher-forced exact match on held-out shards, while a run goes on.

An example counts as exact where every token the model chooses is its first choice given the reference before it: what greedy
decoding without a grammar would get exactly right. Held-out shards have one branch a group. The engine's own figures are
`evaluate.py`'s. Knows no training.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F

from copydesk_training.batches import Batch, Examples, assemble
from copydesk_training.segments import Segments
from copydesk_training.shard_file import Row, Shard

TOKENS = 5120


class Predictor(Protocol):
    """What is measured: hidden states behind the final norm, and the head [V, E] that makes logits of them."""

    @property
    def head(self) -> torch.Tensor: ...
    def hidden(self, ids: torch.Tensor, segments: Segments | None = None) -> torch.Tensor: ...


class Validation:
    """A fixed sample of up to `most` examples of every held-out shard; empty where there is none."""

    def __init__(self, folder: Path, *, most: int = 128, seed: int = 0) -> None:
        self.sets: dict[str, list[Batch]] = {}
        for path in sorted(folder.glob("heldout-*.bin")):
            examples = Examples([Shard(path)])
            rng = np.random.default_rng((seed, len(examples)))
            chosen = rng.permutation(len(examples))[:most]
            rows = sorted((examples[int(i)] for i in chosen), key=lambda row: len(row.tokens))
            name = path.stem.split("-")[1]
            self.sets[name] = _batches(rows)

    @torch.no_grad()
    def measure(self, model: Predictor, device: torch.device) -> dict[str, float]:
        """`loss_NAME` in nats a token and `exact_NAME` from 0 to 1, for every set."""
        out: dict[str, float] = {}
        for name, batches in self.sets.items():
            loss, tokens, exact, examples = 0.0, 0, 0, 0
            for batch in batches:
                moved = batch.to(device)
                hidden = model.hidden(moved.ids, moved.segments).flatten(0, 1).index_select(0, moved.where)
                logits = F.linear(hidden, model.head).float()
                loss += float(F.cross_entropy(logits, moved.target, reduction="sum"))
                wrong = logits.argmax(-1) != moved.target
                rows = moved.where.div(moved.ids.shape[1], rounding_mode="floor")
                exact += batch.examples - int(rows[wrong].unique().numel())
                tokens += len(batch.where)
                examples += batch.examples
            out[f"loss_{name}"] = loss / max(1, tokens)
            out[f"exact_{name}"] = exact / max(1, examples)
        return out


def _batches(rows: list[Row]) -> list[Batch]:
    out: list[Batch] = []
    begin = 0
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and (end + 1 - begin) * len(rows[end].tokens) <= TOKENS:
            end += 1
        out.append(assemble(rows[begin:end], len(rows[end - 1].tokens) - 1))
        begin = end
    return out
