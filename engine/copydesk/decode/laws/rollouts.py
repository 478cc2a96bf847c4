"""Φ by Monte Carlo: strings are continued by chance, and weigh what the model has left of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from copydesk.decode.laws.law import Asking, Language, NextToken
from copydesk.decode.laws.look_ahead import LOCAL
from copydesk.decode.log_probabilities import log_probabilities
from copydesk.decode.lookahead import Path
from copydesk.decode.sampling import Floats, TokenSet
from copydesk.grammar.trie import MAX_NODES

MOST_TOKENS = 64
"""Of one rollout: what may follow a longer one is taken to be certain."""


@dataclass(slots=True)
class _Rollout:
    """One string behind one of the tokens in question. log_p: the logarithm of its estimate of Φ so far."""

    child: int
    path: Path
    state: Any
    log_p: float = 0.0


class MonteCarlo:
    """The mean of `rollouts` strings behind each token. They are drawn under the local mask, and each weighs the product of what
    the mask left of the model's probability at each of its steps: an estimate of Φ without bias.
    """

    def __init__(self, rollouts: int, seed: int = 0) -> None:
        self.rollouts = rollouts
        self._random = np.random.default_rng(seed)

    def next(self, language: Language, state: Any) -> Asking[NextToken]:
        ids = language.tokens(state).ids
        if ids is None:
            return (yield from LOCAL.next(language, state))
        logits = yield [()]
        own = log_probabilities(logits, [0] * len(ids), ids)
        rollouts = [
            _Rollout(k, (token,), language.next(state, token))
            for k, token in enumerate(map(int, ids))
            for _ in range(self.rollouts)
        ]
        live = [one for one in rollouts if not language.closed(one.state)]
        for _ in range(MOST_TOKENS):
            at: dict[Path, list[_Rollout]] = {}
            for one in live:
                at.setdefault(one.path, []).append(one)
            paths = list(at)
            for first in range(0, len(paths), MAX_NODES):
                asked = paths[first : first + MAX_NODES]
                logits = yield asked
                sets = [language.tokens(at[path][0].state) for path in asked]
                listed = [np.empty(0, np.int64) if one.ids is None else one.ids for one in sets]
                rows = np.repeat(np.arange(len(asked)), [len(ids) for ids in listed])
                shares = np.split(
                    log_probabilities(logits, rows, np.concatenate(listed)),
                    np.cumsum([len(ids) for ids in listed])[:-1],
                )
                for k, (path, allowed) in enumerate(zip(asked, sets, strict=True)):
                    if allowed.ids is None:
                        mass, p = allowed.log_mass(logits[k]), np.exp(allowed.log_softmax(logits[k])[0])
                    else:
                        mass = float(np.logaddexp.reduce(shares[k]))
                        p = np.exp(shares[k] - mass)
                    self._go_on(language, at[path], allowed, mass, p)
            live = [one for one in live if not language.closed(one.state)]
            if not live:
                break
        future = np.logaddexp.reduce(
            np.array([one.log_p for one in rollouts]).reshape(len(ids), self.rollouts), axis=1
        )
        corrected = own + future
        return NextToken(corrected - np.logaddexp.reduce(corrected), ids, "monte-carlo")

    def _go_on(
        self, language: Language, together: list[_Rollout], allowed: TokenSet, mass: float, p: Floats
    ) -> None:
        """Rollouts that have come to the same string take a token each, of those allowed, which have the probabilities `p`."""
        places = self._random.choice(p.size, len(together), p=p / p.sum())
        for one, place in zip(together, map(int, places), strict=True):
            token = place if allowed.ids is None else int(allowed.ids[place])
            one.log_p += mass
            one.path, one.state = (*one.path, token), language.next(one.state, token)
