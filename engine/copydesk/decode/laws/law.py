"""What a law is given, what it asks the model, and what it answers: the same for all of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from copydesk.decode.lookahead import Path
from copydesk.decode.sampling import Floats, TokenSet

LawName: TypeAlias = Literal["exact", "automaton", "monte-carlo", "one-step", "local"]
LAWS: tuple[LawName, ...] = ("exact", "automaton", "monte-carlo", "one-step", "local")
"""From the most faithful to the least."""

T = TypeVar("T")
Asking: TypeAlias = Generator[Sequence[Path], torch.Tensor, T]
"""Yields the paths of tokens, behind what is written, whose next-token logits it wants; is sent them as [paths, vocabulary]."""


class Language(Protocol):
    """A deterministic automaton over tokens without dead ends. `tokens` and `next` take states that are not closed."""

    @property
    def start(self) -> Any: ...

    def tokens(self, state: Any) -> TokenSet: ...

    def next(self, state: Any, token: int) -> Any | None: ...

    def closed(self, state: Any) -> bool: ...


@dataclass(frozen=True, slots=True)
class NextToken:
    """Log probabilities of the tokens `ids` (None: of all tokens in order), normalised, and the law they are of."""

    log_p: Floats
    ids: npt.NDArray[np.int64] | None
    law: LawName


class Law(Protocol):
    """One way to choose the next token."""

    def next(self, language: Language, state: Any) -> Asking[NextToken]:
        """How the next token is distributed in a state that is not closed. Asks for the empty path's logits first of all."""
        ...


def weakest(names: Iterable[LawName]) -> LawName:
    """The law of what was chosen by all of `names`: exact where nothing was."""
    return max(names, key=LAWS.index, default="exact")


def total_variation(p: Floats, q: Floats) -> float:
    """½ Σ |p - q| of two laws given as log probabilities, from 0 to 1: the largest difference in the probability of any event."""
    return float(0.5 * np.abs(np.exp(p) - np.exp(q)).sum())


class Words:
    """Finitely many token sequences, none a prefix of another, as an automaton: a state is what was written."""

    start: Path = ()

    def __init__(self, words: Iterable[Path]) -> None:
        self._after: dict[Path, dict[int, None]] = {}
        for word in words:
            for k, token in enumerate(word):
                self._after.setdefault(word[:k], {})[token] = None

    def tokens(self, state: Path) -> TokenSet:
        return TokenSet(allow=sorted(self._after[state]))

    def next(self, state: Path, token: int) -> Path | None:
        return (*state, token) if token in self._after[state] else None

    def closed(self, state: Path) -> bool:
        return state not in self._after
