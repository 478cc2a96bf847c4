"""Programs put into a decoder's mouth: every forward is real, only the choices are scripted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from copydesk.decode.coroutine import Decided, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.sampling import Sampler
from copydesk.models.replay import ReplayModel
from copydesk.models.row import Row
from copydesk.program import Program
from decoding import Desk


@dataclass
class Replay:
    """What came of it. `stream` are all tokens behind the page, kept in the row or decided and not forwarded any more."""

    outcome: Outcome
    counts: Counts
    events: list[Decided]
    stream: list[int]


def program_ids(desk: Desk, program: Program) -> list[int]:
    """The tokens of `program` as training spells them."""
    pieces = desk.codec.encode_program(
        program, desk.task.views, desk.tokens.lines, open_end=desk.rules.open_end
    )
    return [token for piece in pieces for token in piece.ids]


def replay(
    desk: Desk, model: Any, script: Sequence[int], row: Row, *, sampler: Sampler | None = None, owner: int = 1
) -> Replay:
    """Decode while `model` is made to say `script` behind the request. The lane is released in the end."""
    player = ReplayModel(model)
    job, emitter = desk.job(row, owner=owner, sampler=sampler, max_tokens=1000)
    player.scripts[owner] = (len(desk.tokens.ids) + len(desk.task.request), script)
    events: list[Decided] = []
    answer = None
    try:
        while True:
            said = next(job.steps) if answer is None else job.steps.send(answer)
            answer = None
            if isinstance(said, Decided):
                events.append(said)
            else:
                (answer,) = player.forward([job.lane.feed(said)])
    except StopIteration as finished:
        outcome: Outcome = finished.value
    emitter._settle()  # what was fed ahead and not taken leaves the row
    stream = row.tokens_of(owner) + emitter.pending
    job.lane.release()
    return Replay(outcome, emitter.counts, events, stream)
