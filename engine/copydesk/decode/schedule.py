"""Many decoders, one model: each round, every waiting ask goes into the same forward.

The flag `stop` is looked at before every forward; an ask that would take too long is several. Knows decoders as conversations and
the model as `forward`; nothing of programs. Time comes in from outside, as part of `stop`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import torch

from copydesk.decode.coroutine import Ask, Decided, Lane, Outcome, Steps
from copydesk.models.model import Model
from copydesk.models.pace import UNBOUNDED, Pace
from copydesk.models.pieces import Pieces

MOST_TOKENS = {"cpu": 1024, "cuda": 8192}
"""Tokens that decoders have forwarded together, by device: more of them are no faster, and their logits fill the memory."""

Stop = Callable[[], str | None]
"""Why decoding must end now, or None. Cheap: it is called before every forward."""


@dataclass(slots=True, eq=False)
class Job:
    """One decoder with its lane. `outcome` is set when it ends; `stopped` says why it ended without one."""

    lane: Lane
    steps: Steps
    outcome: Outcome | None = None
    stopped: str | None = None
    _ask: Ask | None = field(default=None, repr=False)

    @property
    def done(self) -> bool:
        return self.outcome is not None or self.stopped is not None


def run(
    model: Model,
    jobs: Iterable[Job],
    stop: Stop,
    admit: Callable[[], Iterable[Job]] = tuple,
    pace: Pace = UNBOUNDED,
) -> Iterator[tuple[Job, Decided | Outcome]]:
    """Decode all jobs to their ends, yielding what each decides as it decides it. Lanes are released as their jobs end.

    admit: asked before every forward, and at the end, for jobs that join those in flight; the run is over when nobody waits and
    it gives none. pace: how long a forward may take. Raises what `model.forward` raises (ContextLengthError, OutOfMemoryError);
    all lanes are released first.
    """
    live: list[Job] = []
    fresh = list(jobs)
    try:
        while True:
            fresh += admit()
            live += fresh
            joined, fresh = fresh, []
            for job in joined:
                yield from _advance(job, None)
            live = [job for job in live if not job.done]
            if not live:
                if joined:
                    continue  # what these decided may have brought others
                return
            pieces: Pieces | None = None
            while True:
                reason = stop()
                if reason is not None:
                    for job in live:
                        job.stopped = reason
                    return
                if pieces is None:
                    turn, rest = _turn(live, MOST_TOKENS.get(model.device.type, 1024))
                    feeds = [job.lane.feed(job._ask) for job in turn if job._ask is not None]
                    pieces = Pieces(model, feeds, pace)
                if not pieces.forward():
                    break
            for job, answer in zip(turn, pieces.answers, strict=True):
                yield from _advance(job, answer)
            live = [job for job in (*rest, *turn) if not job.done]
    finally:
        for job in (*live, *fresh):
            job.steps.close()
            job.lane.release()


def _turn(live: list[Job], most: int) -> tuple[list[Job], list[Job]]:
    """Those whose asks are forwarded now, of `most` tokens or a single one, and those that wait, who come first next time."""
    turn, rest = list[Job](), list[Job]()
    left = most
    for job in live:
        asked = len(job._ask.tokens) if job._ask is not None else 0
        if turn and asked > left:
            rest.append(job)
        else:
            turn.append(job)
            left -= asked
    return turn, rest


def _advance(job: Job, answer: torch.Tensor | None) -> Iterator[tuple[Job, Decided | Outcome]]:
    """Let a decoder go on to its next ask or its end."""
    try:
        said = next(job.steps) if answer is None else job.steps.send(answer)
        while isinstance(said, Decided):
            yield job, said
            said = next(job.steps)
        job._ask = said
    except StopIteration as finished:
        job.outcome = finished.value
        job.lane.release()
        yield job, finished.value
