"""The likeliest programs without repetition: one is decoded greedily, and others depart from it at one of its decisions.

A decision is a finite choice or a token of text; the probability of a run of decisions bounds that of every program that begins
so. The likeliest departures are followed first. Once none is likelier than the programs that were found, these are the likeliest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from copydesk.decode.sampling import Floats, Sampler, TokenSet


@dataclass(frozen=True, slots=True)
class Departure:
    """Decisions to begin with, the last of which was not taken there; and the logarithm of their probability together."""

    decisions: tuple[int, ...]
    log_p: float


class DepartingSampler(Sampler):
    """Greedy behind the decisions it begins with, which are taken without asking the model. Of every decision of its own it notes
    the `width` likeliest others.
    """

    def __init__(self, width: int, begin: Departure) -> None:
        super().__init__(track=True)
        self.log_likelihood = begin.log_p
        self._width = width
        self._script = begin.decisions
        self._taken = list[int]()
        self._others: list[tuple[int, int, float]] = []

    def scripted(self) -> int | None:
        if len(self._taken) >= len(self._script):
            return None
        self._taken.append(self._script[len(self._taken)])
        return self._taken[-1]

    def choose(self, log_p: Floats) -> int:
        return self._decide(log_p, None)

    def token(self, logits: torch.Tensor, allowed: TokenSet) -> int:
        if allowed.single is not None:
            return allowed.single
        return self._decide(*allowed.log_softmax(logits))

    def _decide(self, log_p: Floats, ids: npt.NDArray[np.int64] | None) -> int:
        most = min(self._width + 1, log_p.size)
        best, *others = likeliest(log_p, most)
        for place in others:
            value = place if ids is None else int(ids[place])
            self._others.append((len(self._taken), value, self.log_likelihood + float(log_p[place])))
        self.log_likelihood += float(log_p[best])
        self._taken.append(best if ids is None else int(ids[best]))
        return self._taken[-1]

    def departures(self) -> list[Departure]:
        """The likeliest that were noted, the likeliest first."""
        noted = sorted(self._others, key=lambda other: -other[2])[: self._width]
        return [Departure((*self._taken[:at], value), log_p) for at, value, log_p in noted]


def likeliest(log_p: Floats, most: int) -> list[int]:
    """The places of the largest values, the largest first; of equals the first."""
    if most < log_p.size:
        kept = np.sort(np.argpartition(-log_p, most - 1)[:most])
        return [int(place) for place in kept[np.argsort(-log_p[kept], kind="stable")]]
    return [int(place) for place in np.argsort(-log_p, kind="stable")]


def worth_following(departures: Iterable[Departure], found: Sequence[float], count: int) -> list[Departure]:
    """Those that may be among the `count` likeliest, the likeliest first. found: the logarithms of what was found so far."""
    least = sorted(found, reverse=True)[count - 1] if len(found) >= count else -np.inf
    return sorted((one for one in departures if one.log_p > least), key=lambda one: -one.log_p)[:count]
