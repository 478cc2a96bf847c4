"""Finite choices by brute force: one full forward per candidate, nothing shared, nothing cached.

What the decoder's tree-mask forwards are held against; and a `Sampler` that remembers the laws it was asked to draw from.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from copydesk.decode.coroutine import Lane, Outcome, Steps
from copydesk.decode.counts import Counts
from copydesk.decode.laws.law import Language, Law
from copydesk.decode.laws.look_ahead import EXACT, LOCAL
from copydesk.decode.sampling import Sampler, TokenSet
from copydesk.decode.schedule import Job, run
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.models.feed import Feed
from copydesk.models.row import SHARED, Row
from copydesk.prompting.codec import Ids

Floats = npt.NDArray[np.float64]


class Recorder(Sampler):
    """Draws as its base does; `laws` are the finite choices it was asked about (tokens of text left out)."""

    def __init__(self, temperature: float = 1.0, top_p: float = 1.0, seed: int = 0) -> None:
        super().__init__(temperature, top_p, seed)
        self.laws: list[Floats] = []

    def choose(self, log_p: Floats) -> int:
        self.laws.append(log_p)
        return super().choose(log_p)

    def token(self, logits: torch.Tensor, allowed: TokenSet) -> int:
        before = len(self.laws)
        token = super().token(logits, allowed)
        del self.laws[before:]
        return token


def next_log_probabilities(model: Any, tokens: Sequence[int]) -> Floats:
    """log softmax of what follows each of `tokens`, in one forward on a fresh row: [len(tokens), vocabulary]."""
    feed = Feed(model.new_row(len(tokens)), SHARED, tokens, range(len(tokens)), outputs=range(len(tokens)))
    (logits,) = model.forward([feed])
    feed.row.store.release()
    law: Floats = torch.log_softmax(logits.double(), -1).cpu().numpy()
    return law


def brute_law(model: Any, context: Sequence[int], candidates: Sequence[Ids]) -> Floats:
    """P(candidate) = product of the model's full next-token probabilities, normalised over the candidates."""
    scores = np.array([sum(_along(model, context, candidate)) for candidate in candidates])
    p: Floats = np.exp(scores - scores.max())
    return p / p.sum()


def brute_local_law(model: Any, context: Sequence[int], candidates: Sequence[Ids]) -> Floats:
    """P(candidate) where each token is drawn among those that some candidate goes on with."""
    out = np.ones(len(candidates))
    for index, candidate in enumerate(candidates):
        law = next_log_probabilities(model, [*context, *candidate])
        for k, token in enumerate(candidate):
            legal = sorted({other[k] for other in candidates if other[:k] == candidate[:k]})
            p = np.exp(law[len(context) - 1 + k])
            out[index] *= p[token] / p[legal].sum()
    return out


def _along(model: Any, context: Sequence[int], candidate: Ids) -> list[float]:
    law = next_log_probabilities(model, [*context, *candidate])
    return [float(law[len(context) - 1 + k, token]) for k, token in enumerate(candidate)]


def ask(
    model: Any,
    row: Row,
    prompt: Sequence[int],
    choices: Sequence[Ids],
    sampler: Sampler,
    *,
    local: bool = False,
    max_nodes: int = 128,
) -> int:
    """Which of `choices` a decoder writes behind the row's shared prefix and `prompt`."""
    emitter = TokenEmitter(Lane(row, 1, len(row.slots_of(SHARED))), sampler, Counts(), 100)
    emitter.max_nodes = max_nodes
    chosen: list[int] = []

    def steps() -> Generator[Any, Any, Outcome]:
        emitter.pending.extend(prompt)
        chosen.append((yield from emitter.choose(choices, law=LOCAL if local else EXACT)))
        return Outcome(None)

    conversation: Steps = steps()
    for _ in run(model, [Job(emitter.lane, conversation)], lambda: None):
        pass
    return chosen[0]


def followed(
    model: Any,
    row: Row,
    prompt: Sequence[int],
    language: Language,
    law: Law,
    sampler: Sampler,
    likely: Sequence[Ids] = (),
) -> tuple[Ids, int]:
    """What a decoder writes of `language` behind the row's shared prefix and `prompt`, and in how many forwards."""
    counts = Counts()
    emitter = TokenEmitter(Lane(row, 1, len(row.slots_of(SHARED))), sampler, counts, 100)
    written: list[int] = []

    def steps() -> Generator[Any, Any, Outcome]:
        emitter.pending.extend(prompt)
        written.extend((yield from emitter.follow(language, law, likely))[0])
        return Outcome(None)

    for _ in run(model, [Job(emitter.lane, steps())], lambda: None):
        pass
    return tuple(written), counts.forwards


def frequencies(draws: Iterable[int], size: int) -> Floats:
    counts = np.bincount(list(draws), minlength=size).astype(np.float64)
    return counts / counts.sum()


def total_variation(p: Floats, q: Floats) -> float:
    return float(np.abs(p - q).sum() / 2)
