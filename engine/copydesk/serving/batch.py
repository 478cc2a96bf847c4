"""Requests served together: warm, decode, check, report. All at once, or as lanes become free.

Turns plans into lanes on warm rows, lets the scheduler decode them, and turns what they decide into hunks and results. Uses
plans, the cache and decoders; no threads, documents that change, or files.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from copydesk.cache import Lease, PageCache
from copydesk.decode.coroutine import Ask, Decided, Lane, Outcome, Steps
from copydesk.decode.counts import Counts
from copydesk.decode.departures import DepartingSampler, Departure, likeliest, worth_following
from copydesk.decode.laws.law import weakest
from copydesk.decode.sampling import Floats, Sampler
from copydesk.decode.schedule import Job, Stop, run
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.decode.weighed_program import WeighedProgram, combined
from copydesk.errors import CacheError, ContextLengthError, CopydeskError, OutOfMemoryError
from copydesk.models.model import Model
from copydesk.program.edits import program_edits
from copydesk.results import Alternative, EditResult, Event, Hunk, Retraction, Status
from copydesk.serving.plan import Plan
from copydesk.serving.program_titles import program_title
from copydesk.serving.reporting import alternative, ended, finished, plain_result
from copydesk.text.document import Encoding, TextLines

MOST_TRIES = 4
"""Programs that are decoded for each candidate that was asked for, at most: the search for the likeliest may end before."""

Prepared: TypeAlias = tuple[int, TextLines, Plan | CopydeskError]
"""A document's id and text, and its request made ready, or why it could not be."""
Supply: TypeAlias = Callable[[], Prepared | None]
"""The next request, or None where there is none for now: it is asked again after every result."""


@dataclass(slots=True, eq=False)
class _Entry:
    """One request on its way. `jobs`, `samplers` and `tallies` have one place a program; `counts` is what warming cost.

    departures: those not followed yet, of the first `searched` programs.
    """

    index: int
    prepared: Prepared
    plan: Plan
    lease: Lease
    counts: Counts
    started: float
    jobs: list[Job] = field(default_factory=list)
    samplers: list[Sampler] = field(default_factory=list)
    tallies: list[Counts] = field(default_factory=list)
    departures: list[Departure] = field(default_factory=list)
    searched: int = 0
    shown: int = 0
    prefill: float = 0.0


class _Begun:
    """A decoder as far as it comes without the model. outcome: None where it asks for a forward."""

    def __init__(self, steps: Steps) -> None:
        self._rest = steps
        self._said: list[Ask | Decided] = []
        self.outcome: Outcome | None = None
        try:
            while not self._said or isinstance(self._said[-1], Decided):
                self._said.append(next(steps))
        except StopIteration as finished:
            self.outcome = finished.value

    def steps(self) -> Steps:
        """The whole conversation."""
        try:
            for said in self._said[:-1] if self.outcome is None else self._said:
                yield said
            if self.outcome is not None:
                return self.outcome
            said = self._said[-1]
            while True:
                answer = yield said
                try:
                    said = self._rest.send(answer)
                except StopIteration as finished:
                    outcome: Outcome = finished.value
                    return outcome
        finally:
            self._rest.close()


class Batch:
    """`run()` yields (index, event), the result of each request last. Requests are counted as the supply gives them."""

    def __init__(
        self,
        model: Model,
        cache: PageCache,
        supply: Supply,
        stop: Stop,
        encoding: Encoding | str,
        lanes: int | None = None,
    ) -> None:
        """lanes: requests in flight at most; a new one joins when one ends. None: all of them, and all join at once."""
        self._model = model
        self._cache = cache
        self._supply = supply
        self._stop = stop
        self._encoding = encoding
        self._lanes = lanes
        self._started = time.perf_counter()
        self._taken = 0
        self._held = deque[tuple[int, Prepared]]()  # taken, and waiting for room
        self._live: dict[int, _Entry] = {}
        self._by_job: dict[int, _Entry] = {}
        self._more = deque[Job]()
        self._told: deque[tuple[int, Event]] = deque()

    def run(self) -> Generator[tuple[int, Event], None, None]:
        try:
            going = True
            while going:
                try:
                    yield from self._decode()
                except CopydeskError as error:
                    self._fail(error)
                # What was told may bring the caller to ask for more, unless it is all over.
                going = self._stop() is None and bool(self._told or self._held)
                self._end_stopped()
                yield from self._tell()
        finally:
            for entry in self._live.values():
                entry.lease.release()

    def _tell(self) -> Iterator[tuple[int, Event]]:
        while self._told:
            yield self._told.popleft()

    # -- admission -----------------------------------------------------------------------------------------------

    def _admit(self) -> Iterator[Job]:
        """Jobs that are left to do of requests in flight, and those of requests that fit in now, their pages warm."""
        while self._more:
            yield self._more.popleft()
        while self._lanes is None or (len(self._live) < self._lanes and self._stop() is None):
            if self._held:
                index, prepared = self._held.popleft()
            else:
                given = self._supply()
                if given is None:
                    return
                index, prepared = self._taken, given
                self._taken += 1
            _, lines, plan = prepared
            if isinstance(plan, CopydeskError):
                self._told.append((index, EditResult("failed", lines.text, reason=str(plan))))
                continue
            try:
                entry = self._warmed(index, prepared, plan)
            except CacheError as error:
                if self._lanes is not None and self._live:
                    self._held.appendleft(
                        (index, prepared)
                    )  # there will be room when one of those in flight ends
                    return
                self._refuse(index, plan, str(error))
                continue
            except CopydeskError as error:
                self._refuse(index, plan, str(error))
                continue
            if entry is not None:
                self._live[index] = entry
                for job in entry.jobs:
                    self._by_job[id(job)] = entry
                yield from entry.jobs

    def _warmed(self, index: int, prepared: Prepared, plan: Plan) -> _Entry | None:
        """The request with its page held, and warm where it asks the model anything: what has one answer needs no page. None,
        and a result, where decoding must end now. Raises as the cache and decoders do.
        """
        started = time.perf_counter()
        counts = Counts()
        lease = self._cache.acquire((prepared[0], plan.key), plan.prefix)
        since = self._started if self._lanes is None else started
        entry = _Entry(index, prepared, plan, lease, counts, since)
        held = False
        try:
            asks = self._job(entry)
            counts.reused = lease.warm
            steps = self._cache.warm(lease)
            while asks and not lease.ready:
                reason = self._stop()
                if reason is not None:
                    self._told.append((index, ended(plan, counts, reason, self._started)))
                    return None
                counts.prefilled += next(steps)
                counts.forwards += 1
            held = True
        finally:
            if not held:
                lease.release()
        entry.prefill = time.perf_counter() - started
        return entry

    def _job(self, entry: _Entry, departure: Departure | None = None) -> bool:
        """Another decoder for the request, and whether it asks the model anything."""
        plan, request = entry.plan, entry.plan.request
        owner = entry.lease.owner if not entry.jobs else entry.lease.fork()
        sampler = Sampler(request.temperature, request.top_p, request.seed)
        if request.candidates > 1:
            sampler = DepartingSampler(request.candidates, departure or Departure((), 0.0))
        lane = Lane(entry.lease.row, owner, len(plan.prefix))
        tally = Counts()
        begun = _Begun(plan.begin(TokenEmitter(lane, sampler, tally, plan.max_tokens)))
        entry.jobs.append(Job(lane, begun.steps()))
        entry.samplers.append(sampler)
        entry.tallies.append(tally)
        return begun.outcome is None

    # -- decoding ------------------------------------------------------------------------------------------------

    def _decode(self) -> Iterator[tuple[int, Event]]:
        for job, said in run(self._model, (), self._stop, self._admit, self._cache.pace):
            yield from self._tell()
            entry = self._by_job[id(job)]
            if isinstance(said, Decided):
                if entry.plan.request.candidates == 1:
                    yield from self._hunk(entry, said)
            elif all(other.done for other in entry.jobs) and not self._goes_on(entry):
                self._leave(entry)
                yield from self._finish(entry)

    def _goes_on(self, entry: _Entry) -> bool:
        """Whether programs are left that may be among the candidates a request asks for; their jobs are on their way then."""
        wanted, done = entry.plan.request.candidates, len(entry.jobs)
        if wanted == 1 or any(job.outcome is not None and job.outcome.alternatives for job in entry.jobs):
            return False
        for sampler in entry.samplers[entry.searched :]:
            assert isinstance(sampler, DepartingSampler)
            entry.departures += sampler.departures()
        entry.searched = done
        _, law = _distinct(entry)
        following = worth_following(entry.departures, law.tolist(), wanted)
        following = following[: MOST_TRIES * wanted - done]
        for departure in following:
            entry.departures.remove(departure)
            self._job(entry, departure)
            job = entry.jobs[-1]
            self._by_job[id(job)] = entry
            self._more.append(job)
        return bool(following)

    def _leave(self, entry: _Entry) -> None:
        del self._live[entry.index]
        for job in entry.jobs:
            del self._by_job[id(job)]
        entry.lease.release()

    def _fail(self, error: CopydeskError) -> None:
        """Those in flight are told; their lanes are released already. Where they were too many for the memory there is, they
        begin again, fewer of them together."""
        live = list(self._live.values())
        self._more.clear()
        again = self._lanes is not None and len(live) > 1 and isinstance(error, CacheError | OutOfMemoryError)
        if again:
            self._lanes = len(live) // 2
        status: Status = "refused" if isinstance(error, ContextLengthError) else "failed"
        for entry in live:
            self._leave(entry)
            self._told += self._retract(entry, str(error))
            if again:
                self._held.append((entry.index, entry.prepared))
                continue
            result = plain_result(entry.plan, status, _spent(entry), entry.started, reason=str(error))
            self._told.append((entry.index, result))

    def _end_stopped(self) -> None:
        reason = self._stop()
        while reason is not None and self._held:
            index, (_, _, plan) = self._held.popleft()
            assert isinstance(plan, Plan)
            self._told.append((index, ended(plan, Counts(), reason, self._started)))
        self._more.clear()
        for entry in list(self._live.values()):
            said = next((job.stopped for job in entry.jobs if job.stopped), "cancelled")
            self._leave(entry)
            self._told += self._retract(entry, said)
            self._told.append((entry.index, ended(entry.plan, _spent(entry), said, entry.started)))

    # -- reporting -----------------------------------------------------------------------------------------------

    def _refuse(self, index: int, plan: Plan, reason: str) -> None:
        self._told.append((index, plain_result(plan, "failed", Counts(), self._started, reason=reason)))

    def _hunk(self, entry: _Entry, said: Decided) -> Iterator[tuple[int, Event]]:
        plan = entry.plan
        if plan.unlearnt:
            return  # it is asked about before anything is shown
        program = plan.page.to_document(said.program, plan.snapshot.lines.lines)
        edits = program_edits(program.ops, plan.snapshot.lines, False, self._encoding)
        fresh = tuple(edits[entry.shown :])
        if fresh:
            entry.shown = len(edits)
            yield entry.index, Hunk(fresh)

    def _retract(self, entry: _Entry, reason: str) -> Iterator[tuple[int, Event]]:
        if entry.shown:
            yield entry.index, Retraction(reason)

    def _finish(self, entry: _Entry) -> Iterator[tuple[int, Event]]:
        best, told, offered = self._best(entry)
        counts = _spent(entry, told)
        for event in finished(
            entry.plan,
            best,
            offered,
            counts,
            entry.started,
            entry.prefill,
            self._encoding,
            shown=entry.shown > 0,
        ):
            yield entry.index, event

    def _best(self, entry: _Entry) -> tuple[Outcome, Counts, tuple[Alternative, ...]]:
        """The outcome to report with what it cost, and the alternatives beside it. Of several programs that were found the
        likeliest is taken that passes its checks; those that make the same text are one.
        """
        plan = entry.plan
        outcomes = [
            (job.outcome, tally)
            for job, tally in zip(entry.jobs, entry.tallies, strict=True)
            if job.outcome is not None
        ]
        weighed, law = _distinct(entry)
        if len(weighed) < 2 or outcomes[0][0].alternatives:
            best, told = next((one for one in outcomes if _whole(one[0])), outcomes[0])
            return best, told, tuple(alternative(plan, one, self._encoding) for one in best.alternatives)
        order = likeliest(law, min(plan.request.candidates, len(weighed)))
        offered = tuple(alternative(plan, weighed[place], self._encoding) for place in order)
        chosen = next((k for k, one in enumerate(offered) if one.reason is None), 0)
        found = {weighed[place].program: None for place in order}
        by_program = {one.program: (one, tally) for one, tally in outcomes if one.program in found}
        best, told = by_program[weighed[order[chosen]].program]
        return replace(best, law=weakest(one.law for one, _ in by_program.values())), told, offered


def _whole(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.program is not None and not outcome.truncated


def _distinct(entry: _Entry) -> tuple[list[WeighedProgram], Floats]:
    """The whole programs that were found, those that make the same text as one, and the logarithms of their probabilities."""
    views = entry.plan.page.views
    found = [job.outcome for job in entry.jobs if _whole(job.outcome)]
    programs = [one.program for one in found if one and one.program]
    titled = [(one, program_title(one, views), one.resolve("".join(views))) for one in programs]
    return combined(titled, np.array([one.log_likelihood for one in found if one]))


def _spent(entry: _Entry, best: Counts | None = None) -> Counts:
    """What a request cost, all candidates together; what copies covered is the winner's alone."""
    total = Counts()
    for counts in (entry.counts, *entry.tallies):
        total += counts
    total.covered = best.covered if best is not None else 0
    return total
