"""Requests on a served model: each in a thread of its own that waits for the server, as many together as the server works on.

The counterpart of `Batch`, with the same events. Between two looks at what has come, a cancel, a deadline and a change of a
document are heard; a request that is given up has its connection closed, which is how servers learn of it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from copydesk.decode.coroutine import Decided, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Stop
from copydesk.errors import CopydeskError, OutsideGrammarError
from copydesk.program.edits import program_edits
from copydesk.results import EditResult, Event, Hunk, Retraction, Status
from copydesk.served.emitter import ServedEmitter
from copydesk.served.http_client import Call
from copydesk.served.session import Session
from copydesk.serving.batch import Supply
from copydesk.serving.plan import Plan
from copydesk.serving.reporting import alternative, ended, finished, plain_result
from copydesk.text.document import Encoding

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.03
"""Between two looks at whether to stop: as long as a forward of a model of our own may take."""


@dataclass(slots=True, eq=False)
class _Job:
    index: int
    plan: Plan
    started: float
    call: Call = field(default_factory=Call)
    counts: Counts = field(default_factory=Counts)
    shown: int = 0


class ServedBatch:
    """`run()` yields (index, event), the result of each request last. Requests are counted as the supply gives them."""

    def __init__(
        self, session: Session, supply: Supply, stop: Stop, encoding: Encoding | str, lanes: int | None = None
    ) -> None:
        self._session = session
        self._supply = supply
        self._stop = stop
        self._encoding = encoding
        self._lanes = min(lanes or session.description.lanes, session.description.lanes)
        self._taken = 0
        self._live: dict[int, _Job] = {}
        self._came = SimpleQueue[tuple[_Job, Decided | Outcome | BaseException]]()
        self._told: deque[tuple[int, Event]] = deque()

    def run(self) -> Generator[tuple[int, Event], None, None]:
        try:
            while True:
                reason = self._stop()
                if reason is not None:
                    self._give_up(reason)
                else:
                    self._admit()
                while self._told:
                    yield self._told.popleft()
                if not self._live:
                    return
                try:
                    job, said = self._came.get(timeout=LOOK_SECONDS)
                except Empty:
                    continue
                if job.index in self._live:
                    self._told.extend((job.index, event) for event in self._events(job, said))
                while self._told:
                    yield self._told.popleft()
        finally:
            for job in self._live.values():
                job.call.give_up()

    def _admit(self) -> None:
        while len(self._live) < self._lanes:
            given = self._supply()
            if given is None:
                return
            index, self._taken = self._taken, self._taken + 1
            _, lines, plan = given
            if isinstance(plan, CopydeskError):
                self._told.append((index, EditResult("failed", lines.text, reason=str(plan))))
                continue
            job = self._live[index] = _Job(index, plan, time.perf_counter())
            threading.Thread(target=self._work, args=(job,), name="copydesk-served", daemon=True).start()

    def _give_up(self, reason: str) -> None:
        for job in self._live.values():
            job.call.give_up()
            if job.shown:
                self._told.append((job.index, Retraction(reason)))
            self._told.append((job.index, ended(job.plan, job.counts, reason, job.started)))
        self._live.clear()

    def _work(self, job: _Job) -> None:
        """Decode one request to its end, in a thread of its own."""
        plan, request = job.plan, job.plan.request
        sampler = Sampler(request.temperature, request.top_p, request.seed)
        emitter = ServedEmitter(
            self._session, plan.prefix, sampler, job.counts, plan.max_tokens, job.call, request.seed
        )
        steps = plan.begin(emitter)
        try:
            while True:
                said = next(steps)
                assert isinstance(said, Decided)
                self._came.put((job, said))
        except StopIteration as end:
            self._came.put((job, end.value))
        except Exception as error:  # noqa: BLE001  it is told in the caller's thread
            self._came.put((job, error))

    def _events(self, job: _Job, said: Decided | Outcome | BaseException) -> Iterator[Event]:
        plan = job.plan
        if isinstance(said, Decided):
            if plan.unlearnt:
                return  # it is asked about before anything is shown
            program = plan.page.to_document(said.program, plan.snapshot.lines.lines)
            edits = program_edits(program.ops, plan.snapshot.lines, False, self._encoding)
            if len(edits) > job.shown:
                fresh, job.shown = edits[job.shown :], len(edits)
                yield Hunk(tuple(fresh))
            return
        del self._live[job.index]
        if isinstance(said, Outcome):
            offered = tuple(alternative(plan, one, self._encoding) for one in said.alternatives)
            yield from finished(
                plan, said, offered, job.counts, job.started, 0.0, self._encoding, shown=job.shown > 0
            )
            return
        if not isinstance(said, CopydeskError):
            log.error("a request to a served model failed", exc_info=said)
        reason = str(said) if isinstance(said, CopydeskError) else f"{type(said).__name__}: {said}"
        if job.shown:
            yield Retraction(reason)
        status: Status = "refused" if isinstance(said, OutsideGrammarError) else "failed"
        yield plain_result(plan, status, job.counts, job.started, reason=reason)
