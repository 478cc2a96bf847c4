"""Choosing under a mask: greedy, sampled with temperature and top-p, and lossless verification of drafts.

A draft proposes single tokens with certainty, so accept/reject against the masked target (speculative sampling, arXiv
2211.17192) accepts token x with probability p(x) and otherwise draws from p without x: tokens are distributed as p, whatever was
proposed. Works on logits and sets of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

Floats = npt.NDArray[np.float64]


class TokenSet:
    """A set of token ids held as the shorter of two lists: what is allowed, or what is denied.

    Index tensors are made once per device and kept.
    """

    __slots__ = ("_allow", "_deny", "_devices", "single")

    def __init__(
        self, *, allow: Sequence[int] | npt.NDArray[Any] | None = None, deny: npt.NDArray[Any] | None = None
    ) -> None:
        assert (allow is None) != (deny is None)
        self._allow = None if allow is None else np.asarray(allow, dtype=np.int64)
        self._deny = None if deny is None else np.asarray(deny, dtype=np.int64)
        self._devices: dict[torch.device, torch.Tensor] = {}
        self.single: int | None = (
            int(self._allow[0]) if self._allow is not None and self._allow.size == 1 else None
        )

    @property
    def ids(self) -> npt.NDArray[np.int64] | None:
        """What is allowed, ascending; None where the set is held as what it denies."""
        return self._allow

    def _ids(self, device: torch.device) -> torch.Tensor:
        found = self._devices.get(device)
        if found is None:
            ids = self._allow if self._allow is not None else self._deny
            found = self._devices[device] = torch.from_numpy(np.ascontiguousarray(ids)).to(device)
        return found

    def argmax(self, logits: torch.Tensor) -> int:
        """The allowed token of highest logit, the smallest id among equals. logits: [vocabulary]."""
        ids = self._ids(logits.device)
        if self._allow is not None:
            return int(self._allow[int(logits[ids].argmax())])
        if ids.numel() == 0:
            return int(logits.argmax())
        # Cheaper than a masked copy: the best token is denied only rarely.
        best = int(logits.argmax())
        assert self._deny is not None
        place = int(np.searchsorted(self._deny, best))
        if place == self._deny.size or self._deny[place] != best:
            return best
        return int(logits.index_fill(0, ids, float("-inf")).argmax())

    def log_softmax(self, logits: torch.Tensor) -> tuple[Floats, npt.NDArray[np.int64] | None]:
        """Log probabilities renormalised over the set, and the ids they belong to (None: all ids in order)."""
        ids = self._ids(logits.device)
        if self._allow is not None:
            return torch.log_softmax(logits[ids].double(), 0).cpu().numpy(), self._allow
        masked = logits.index_fill(0, ids, float("-inf")) if ids.numel() else logits
        return torch.log_softmax(masked.double(), 0).cpu().numpy(), None

    def log_mass(self, logits: torch.Tensor) -> float:
        """The logarithm of the probability that the model has for the whole set. logits: [vocabulary]."""
        ids = self._ids(logits.device)
        exact = logits.double()
        kept = exact[ids] if self._allow is not None else exact.index_fill(0, ids, float("-inf"))
        return float(torch.logsumexp(kept, 0) - torch.logsumexp(exact, 0))


def tempered(log_p: Floats, temperature: float, top_p: float) -> Floats:
    """Probabilities at `temperature`, restricted to the smallest set of choices that holds `top_p` of the mass."""
    scaled = log_p / temperature
    p: Floats = np.exp(scaled - scaled.max())
    p /= p.sum()
    if top_p < 1.0:
        order = np.argsort(-p, kind="stable")
        kept = int(np.searchsorted(np.cumsum(p[order]), top_p)) + 1
        p[order[kept:]] = 0.0
        p /= p.sum()
    return p


class Sampler:
    """How one request chooses. Temperature 0 is greedy. `log_likelihood` sums log probabilities at temperature 1 if tracked."""

    def __init__(
        self, temperature: float = 0.0, top_p: float = 1.0, seed: int = 0, *, track: bool = False
    ) -> None:
        self.temperature = temperature
        self.top_p = top_p
        self.track = track
        self.log_likelihood = 0.0
        self._random = np.random.default_rng(seed)

    @property
    def greedy(self) -> bool:
        return self.temperature == 0.0

    def scripted(self) -> int | None:
        """The next decision where it is made already: no logits are needed for it."""
        return None

    def choose(self, log_p: Floats) -> int:
        """An index of `log_p`, log probabilities of a finite choice, normalised."""
        index = (
            int(log_p.argmax()) if self.greedy else self._draw(tempered(log_p, self.temperature, self.top_p))
        )
        self.log_likelihood += float(log_p[index])
        return index

    def token(self, logits: torch.Tensor, allowed: TokenSet) -> int:
        """The next token. logits: [vocabulary]."""
        if self.greedy and not self.track:
            return allowed.argmax(logits)
        log_p, ids = allowed.log_softmax(logits)
        index = self.choose(log_p)
        return index if ids is None else int(ids[index])

    def verify(self, logits: torch.Tensor, allowed: TokenSet, drafted: int) -> int:
        """The next token, equal to `drafted` where the draft is accepted; distributed as by `token`."""
        if self.greedy:
            return self.token(logits, allowed)
        log_p, ids = allowed.log_softmax(logits)
        p = tempered(log_p, self.temperature, self.top_p)
        place = drafted if ids is None else int(np.searchsorted(ids, drafted))
        if self._random.random() < p[place]:
            index = place
        else:
            rest = p.copy()
            rest[place] = 0.0
            index = self._draw(rest / rest.sum())
        self.log_likelihood += float(log_p[index])
        return index if ids is None else int(ids[index])

    def _draw(self, p: Floats) -> int:
        cumulated = np.cumsum(p)
        index = int(np.searchsorted(cumulated, self._random.random() * cumulated[-1], side="right"))
        if index >= p.size or p[index] == 0.0:  # rounding at the ends
            index = int(np.flatnonzero(p)[-1])
        return index
