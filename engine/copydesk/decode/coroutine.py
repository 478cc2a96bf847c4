"""Decoding as a conversation: a decoder asks for logits, a scheduler answers.

A decoder is a generator. It yields `Ask` (tokens to forward, and which next-token logits it wants) and is sent the logits;
between asks it yields `Decided` as hunks become final. So the scheduler can answer many decoders, at different points of
different programs, with one forward.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import torch

from copydesk.decode.laws.law import LawName
from copydesk.decode.weighed_program import WeighedProgram
from copydesk.models.feed import Feed
from copydesk.models.row import Row
from copydesk.program import Program


@dataclass(slots=True, eq=False)
class Ask:
    """Tokens to append to the asking decoder's lane.

    parents: index of each token's parent among `tokens`, -1 for the lane's end; None: a chain.
    outputs: indices among `tokens` whose next-token logits are wanted; the answer is fp32 [len(outputs), vocabulary].
    """

    tokens: list[int]
    outputs: Sequence[int]
    parents: list[int] | None = None


@dataclass(slots=True, frozen=True)
class Decided:
    """A page program whose ops are final up to its last copy, which stands for everything not decided yet."""

    program: Program


Steps = Generator[Ask | Decided, torch.Tensor, "Outcome"]


@dataclass(slots=True)
class Outcome:
    """What a decoder found. `program` is in page numbers and view text and resolves even when `truncated`.

    exact:          every finite choice (span, name, candidate) was made by its exact distribution.
    law:            the weakest law of all that was chosen, each piece given what stands before it.
    mask_error:     the most by which the local mask would have been off in a choice that was made exactly: total variation, from
                    0 to 1; None where no such choice was of several tokens.
    truncated:      the token budget ran out, or the model `looped`; the program was closed by force and must not be applied.
    log_likelihood: natural logarithm of the program's probability under the distribution it was decoded by, at temperature 1.
    unsure:         the model's probability of the program, or of any it could have chosen, was below its threshold.
    confidence:     the probability of the program among those of a finite choice, from 0 to 1; None where it was not weighed so.
    alternatives:   of an unsure choice, or where they were asked for: the likeliest programs, the likeliest first.
    known_fix:      as in `EditResult`.
    """

    program: Program | None
    exact: bool = True
    law: LawName = "exact"
    truncated: bool = False
    log_likelihood: float = 0.0
    refusal: str | None = None
    looped: bool = False
    unsure: bool = False
    confidence: float | None = None
    alternatives: tuple[WeighedProgram, ...] = ()
    mask_error: float | None = None
    known_fix: bool = False


@dataclass(slots=True, eq=False)
class Lane:
    """One decoder's own tokens on a packed row, behind the prefix every owner shares.

    base: position of the lane's first token. length: tokens accepted so far.
    """

    row: Row
    owner: int
    base: int
    length: int = 0
    _asked: Feed | None = field(default=None, repr=False)

    def feed(self, ask: Ask) -> Feed:
        at = self.base + self.length
        if ask.parents is None:
            positions = list(range(at, at + len(ask.tokens)))
        else:
            positions = []
            for parent in ask.parents:
                positions.append(at if parent < 0 else positions[parent] + 1)
        self._asked = Feed(self.row, self.owner, ask.tokens, positions, ask.parents, ask.outputs)
        self.length += len(ask.tokens)
        return self._asked

    def keep(self, survivors: Sequence[int]) -> None:
        """Of the tokens just asked about keep only those at the indices `survivors`, a path from the lane's end.

        Everything is kept where this is not called.
        """
        feed = self._asked
        assert feed is not None
        dropped = len(feed.tokens) - len(survivors)
        if not dropped:
            return
        if survivors and survivors[-1] == len(survivors) - 1:  # a prefix: the rejected end of a draft
            self.row.free(feed.slots[len(survivors) :])
        else:
            self.row.keep(feed.slots, [feed.slots[k] for k in survivors])
        self.length -= dropped

    def release(self) -> None:
        """Drop every token of the lane; the shared prefix stays."""
        self.row.release(self.owner)
        self.length = 0
