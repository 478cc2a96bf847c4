"""What decoders are written against: a text so far, and the moves that carry it on.

`TokenEmitter` makes them on the engine's own models, one forward for many decoders; the emitter of served models makes each a
request. Both write only what the automata and tries they are given allow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any

from copydesk.decode.counts import Counts
from copydesk.decode.drafts import Draft
from copydesk.decode.laws.law import LawName, weakest
from copydesk.decode.laws.look_ahead import EXACT, LookAhead
from copydesk.decode.lookahead import Path
from copydesk.decode.sampling import Sampler
from copydesk.decode.text_automata import Machine
from copydesk.grammar.trie import MAX_NODES, Floats, Trie


class Emitter(ABC):
    """Writes one decoder's tokens behind its page. `pending` is what is decided and not computed yet; decoders add to it."""

    def __init__(self, sampler: Sampler, counts: Counts, max_tokens: int) -> None:
        self.sampler = sampler
        self.counts = counts
        self.left = max_tokens
        self.truncated = False
        self.looped = False
        self.laws = set[LawName]()
        """Of the finite choices it made, those left out that were asked for under the local mask: which op comes next."""
        self.masked = False
        """Whether one of those was made."""
        self.mask_error: float | None = None
        """As of `Outcome`."""
        self.max_nodes = MAX_NODES
        self.pending: list[int] = []

    def force(self, tokens: Sequence[int]) -> None:
        """Write tokens that are not chosen."""
        self.pending.extend(tokens)
        self.counts.forced += len(tokens)

    @property
    def exact(self) -> bool:
        """Whether every finite choice so far was made by its exact law."""
        return weakest(self.laws) == "exact"

    @property
    def law(self) -> LawName:
        """The weakest law of all that was chosen so far: ops and the text that the model wrote are under the local mask."""
        masked = self.masked or self.counts.generated or self.counts.drafted
        return "local" if masked else weakest(self.laws)

    @abstractmethod
    def choose(
        self, choices: Sequence[Sequence[int]], *, law: LookAhead = EXACT, ahead: Sequence[Sequence[int]] = ()
    ) -> Generator[Any, Any, int]:
        """Write one of `choices` (prefix-free token sequences, likeliest first where that is known) and return its index."""

    @abstractmethod
    def choose_head(
        self, groups: Sequence[Sequence[Path]], heads: Sequence[Path]
    ) -> Generator[Any, Any, int | None]:
        """Write one of `heads`, each as likely as the choices of its group together, which all begin with it, and return its
        index; None, with nothing written, where these are too many to be scored.
        """

    @abstractmethod
    def judge(self, texts: Sequence[Sequence[int]], verdict: int) -> Generator[Any, Any, Floats]:
        """Log probability of the token `verdict` behind each text; nothing is written."""

    @abstractmethod
    def text(self, machine: Machine, draft: Draft, *, quoted: bool = False) -> Generator[Any, Any, list[int]]:
        """Write a text of `machine`'s language up to its closing literal, and return its tokens, literal included.

        It is closed by force where the budget is spent, or the model repeats itself; `quoted` text may repeat.
        """


def common_prefix(choices: Sequence[Sequence[int]]) -> int:
    """How many tokens all choices begin with."""
    first, last = min(map(tuple, choices)), max(map(tuple, choices))
    for k, (a, b) in enumerate(zip(first, last, strict=False)):
        if a != b:
            return k
    return min(len(first), len(last))


def node_paths(trie: Trie) -> list[Path]:
    """The token path to every internal node but the root, in the trie's order."""
    paths: list[Path] = []
    for parent, token in zip(trie.parents, trie.tokens, strict=True):
        paths.append((paths[parent] if parent >= 0 else ()) + (token,))
    return paths
