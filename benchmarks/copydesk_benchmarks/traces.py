"""One request decoded by the engine's own path, and on record: every token on its lane, every choice and how close it was.

The record is taken beside the decoder: a plan's emitter is replaced by one that listens, batching and cache stay the editor's.
With it two runs of one request can be compared choice by choice, and drafts can be turned off. Knows plans and speakers.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from copydesk.decode.coroutine import Lane, Steps
from copydesk.decode.counts import Counts
from copydesk.decode.drafts import Draft, NgramIndex
from copydesk.decode.emitter import Emitter
from copydesk.decode.sampling import Floats, Sampler, TokenSet
from copydesk.decode.text_automata import Machine
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.results import EditResult
from copydesk.serving.plan import Plan


@dataclass(frozen=True, slots=True)
class Choice:
    """taken: index or token. margin: logarithm of the odds of what was taken against the next best; 0 is a tie."""

    taken: int
    margin: float


@dataclass(slots=True)
class Trace:
    """choices: in order, those with one way left out. tokens: the program's, behind `program_open`, with what copies put into
    the context.
    """

    choices: list[Choice] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    result: EditResult | None = None

    def same_outcome(self, other: Trace) -> bool:
        """Whether both runs gave the same tokens, program and status."""
        assert self.result is not None
        assert other.result is not None
        return self.tokens == other.tokens and all(
            getattr(self.result, name) == getattr(other.result, name)
            for name in ("program", "status", "reason", "edits")
        )

    def margin_at_parting(self, other: Trace) -> float:
        """How close the first choice was that the two runs made differently, in the run where it was closer; infinite where no
        choice differs.
        """
        for ours, theirs in zip(self.choices, other.choices, strict=False):
            if ours.taken != theirs.taken:
                return min(ours.margin, theirs.margin)
        return float("inf")


def traced(plan: Plan, *, drafts: bool = True) -> tuple[Plan, Trace]:
    """The same greedy plan, and the record of its next run (one candidate, one run)."""
    trace = Trace()

    def begin(emitter: Emitter) -> Steps:
        assert isinstance(emitter, TokenEmitter)
        sampler = _Sampler(trace.choices)
        listening = _Speaker(emitter.lane, sampler, emitter.counts, emitter.left, drafts)
        outcome = yield from plan.begin(listening)
        trace.tokens = listening.written()[len(plan.asked) :]
        return outcome

    assert plan.request.temperature == 0.0
    assert plan.request.candidates == 1
    return replace(plan, begin=begin), trace


class _Speaker(TokenEmitter):
    def __init__(self, lane: Lane, sampler: Sampler, counts: Counts, max_tokens: int, drafts: bool) -> None:
        super().__init__(lane, sampler, counts, max_tokens)
        self._drafts = drafts

    def text(self, machine: Machine, draft: Draft, *, quoted: bool = False) -> Generator[Any, Any, list[int]]:
        return (
            yield from super().text(
                machine, draft if self._drafts else Draft((), NgramIndex(()), 0), quoted=quoted
            )
        )

    def written(self) -> list[int]:
        """Every token of the lane so far: those in the row, by position, and those that wait for a forward."""
        self._settle()
        return [*self.lane.row.tokens_of(self.lane.owner), *self.pending]


class _Sampler(Sampler):
    """Greedy, and keeps a record."""

    def __init__(self, record: list[Choice]) -> None:
        super().__init__()
        self._record = record

    def choose(self, log_p: Floats) -> int:
        index = super().choose(log_p)
        rest = [*log_p[:index], *log_p[index + 1 :]]
        if rest:
            self._record.append(Choice(index, float(log_p[index] - max(rest))))
        return index

    def token(self, logits: torch.Tensor, allowed: TokenSet) -> int:
        token = super().token(logits, allowed)
        if allowed.single is None:
            rest = logits.clone()
            rest[token] = float("-inf")
            self._record.append(Choice(token, float(logits[token] - rest[allowed.argmax(rest)])))
        return token
