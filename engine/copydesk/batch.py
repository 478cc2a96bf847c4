"""One round of requests served together: warm, decode, check, report.

Turns plans into lanes on warm rows, lets the scheduler decode them, and turns what they decide into hunks and results. Knows
plans, cache and decoders; nothing of threads, documents that change, or files.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from copydesk.cache import Lease, PageCache
from copydesk.checks import adds_suppression, breaks_syntax
from copydesk.decode.counts import Counts
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Job, Stop, run
from copydesk.decode.speaker import Speaker
from copydesk.decode.steps import Decided, Lane, Outcome
from copydesk.document import Encoding, TextLines
from copydesk.errors import ContextLengthError, CopydeskError, ProgramError
from copydesk.grammar.rules import violation
from copydesk.models.model import Model
from copydesk.plan import Plan
from copydesk.program import Copy, Program
from copydesk.program.edits import program_edits
from copydesk.results import EditResult, Event, Hunk, Retraction, Status

CANDIDATE_TEMPERATURE = 0.8
"""At which the second and later candidates of a greedy request are sampled."""

Prepared: TypeAlias = tuple[int, TextLines, Plan | CopydeskError]
"""A document's id and text, and its request made ready, or why it could not be."""


@dataclass(slots=True, eq=False)
class _Entry:
    """One request on its way. `jobs` and `tallies` have one place per candidate; `counts` is what warming cost."""

    index: int
    plan: Plan
    lease: Lease
    counts: Counts
    jobs: list[Job] = field(default_factory=list)
    tallies: list[Counts] = field(default_factory=list)
    shown: int = 0
    prefill: float = 0.0


class Batch:
    """`run()` yields (index, event), the result of each request last."""

    def __init__(
        self,
        model: Model,
        cache: PageCache,
        prepared: Sequence[Prepared],
        stop: Stop,
        encoding: Encoding | str,
    ) -> None:
        self._model = model
        self._cache = cache
        self._prepared = prepared
        self._stop = stop
        self._encoding = encoding
        self._started = time.perf_counter()

    def run(self) -> Generator[tuple[int, Event], None, None]:
        entries: list[_Entry] = []
        try:
            for index, (document, lines, plan) in enumerate(self._prepared):
                if isinstance(plan, CopydeskError):
                    yield index, EditResult("failed", lines.text, reason=str(plan))
                    continue
                entry = yield from self._warmed(index, document, plan)
                if entry is not None:
                    entries.append(entry)
            yield from self._decode(entries)
        finally:
            for entry in entries:
                entry.lease.release()

    # -- warming -------------------------------------------------------------------------------------------------

    def _warmed(
        self, index: int, document: int, plan: Plan
    ) -> Generator[tuple[int, Event], None, _Entry | None]:
        """The request's page, held and warm; None, and a result, where that cannot be."""
        started = time.perf_counter()
        counts = Counts()
        lease: Lease | None = None
        refusal: EditResult | None = None
        try:
            lease = self._cache.acquire((document, plan.key), plan.prefix)
            counts.reused = lease.warm
            steps = self._cache.warm(lease)
            while not lease.ready:
                reason = self._stop()
                if reason is not None:
                    refusal = self._ended(plan, counts, reason)
                    break
                counts.prefilled += next(steps)
                counts.forwards += 1
        except CopydeskError as error:
            refusal = self._result(plan, "failed", counts, reason=str(error))
        finally:
            if lease is not None and not lease.ready:
                lease.release()
        if refusal is not None:
            yield index, refusal
            return None
        assert lease is not None
        return _Entry(index, plan, lease, counts, prefill=time.perf_counter() - started)

    # -- decoding ------------------------------------------------------------------------------------------------

    def _decode(self, entries: Sequence[_Entry]) -> Iterator[tuple[int, Event]]:
        by_job: dict[int, _Entry] = {}
        jobs: list[Job] = []
        for entry in entries:
            for candidate in range(entry.plan.request.candidates):
                job = self._job(entry, candidate)
                entry.jobs.append(job)
                by_job[id(job)] = entry
                jobs.append(job)
        left = set(map(id, entries))
        try:
            for job, said in run(self._model, jobs, self._stop):
                entry = by_job[id(job)]
                if isinstance(said, Decided):
                    if len(entry.jobs) == 1:
                        yield from self._hunk(entry, said)
                elif all(other.done for other in entry.jobs):
                    left.discard(id(entry))
                    yield from self._finish(entry)
        except CopydeskError as error:
            status: Status = "refused" if isinstance(error, ContextLengthError) else "failed"
            for entry in entries:
                if id(entry) in left:
                    left.discard(id(entry))
                    yield from self._retract(entry, str(error))
                    yield entry.index, self._result(entry.plan, status, _spent(entry), reason=str(error))
        for entry in entries:
            if id(entry) in left:
                reason = next((job.stopped for job in entry.jobs if job.stopped), "cancelled")
                yield from self._retract(entry, reason)
                yield entry.index, self._ended(entry.plan, _spent(entry), reason)

    def _job(self, entry: _Entry, candidate: int) -> Job:
        plan, request = entry.plan, entry.plan.request
        owner = entry.lease.owner if candidate == 0 else entry.lease.fork()
        temperature = request.temperature
        if candidate and temperature == 0.0:
            temperature = CANDIDATE_TEMPERATURE
        sampler = Sampler(temperature, request.top_p, request.seed + candidate, track=request.candidates > 1)
        lane = Lane(entry.lease.row, owner, len(plan.prefix))
        tally = Counts()
        entry.tallies.append(tally)
        return Job(lane, plan.begin(Speaker(lane, sampler, tally, plan.max_tokens)))

    # -- reporting -----------------------------------------------------------------------------------------------

    def _hunk(self, entry: _Entry, said: Decided) -> Iterator[tuple[int, Event]]:
        plan = entry.plan
        program = plan.page.to_document(said.program, plan.version.lines.lines)
        edits = program_edits(program.ops, plan.version.lines, False, self._encoding)
        fresh = tuple(edits[entry.shown :])
        if fresh:
            entry.shown = len(edits)
            yield entry.index, Hunk(fresh)

    def _retract(self, entry: _Entry, reason: str) -> Iterator[tuple[int, Event]]:
        if entry.shown:
            yield entry.index, Retraction(reason)

    def _finish(self, entry: _Entry) -> Iterator[tuple[int, Event]]:
        plan, lines = entry.plan, entry.plan.version.lines
        outcomes = [
            (job.outcome, tally) for job, tally in zip(entry.jobs, entry.tallies, strict=True) if job.outcome
        ]
        best, told = max(
            outcomes, key=lambda o: (o[0].program is not None and not o[0].truncated, o[0].log_likelihood)
        )
        program: Program | None = None
        reason = best.refusal
        checked: tuple[str, ...] = ()
        if best.program is not None:
            program = plan.page.to_document(best.program, lines.lines)
            reason, checked = self._objection(plan, best, program)
        if reason is not None:
            yield from self._retract(entry, reason)
            result = self._result(plan, "refused", _spent(entry, told), program=program, reason=reason)
        else:
            assert program is not None
            edits = tuple(program_edits(program.ops, lines, False, self._encoding))
            status: Status = "edited" if edits else "unchanged"
            result = self._result(
                plan, status, _spent(entry, told), program=program, edits=edits, checked=checked
            )
        total, prefill = result.ms["total"], entry.prefill * 1e3
        took = {"prefill": prefill, "decode": total - prefill, "total": total}
        yield entry.index, replace(result, ms=took, exact=best.exact, log_likelihood=best.log_likelihood)

    def _objection(
        self, plan: Plan, outcome: Outcome, program: Program
    ) -> tuple[str | None, tuple[str, ...]]:
        """Why a finished program must not be applied, or None and the checks it passed."""
        lines = plan.version.lines.lines
        if outcome.truncated:
            return "the token budget ran out", ()
        assert outcome.program is not None
        outside = violation(plan.rules, outcome.program, plan.page.views)
        if outside is not None:
            return f"outside the request's scope: {outside}", ()
        try:
            program.validate(lines)
        except ProgramError as error:
            return str(error), ()
        if all(isinstance(op, Copy) for op in program.ops):
            return None, ()
        silenced = adds_suppression(program, lines)
        if silenced is not None:
            return f"it silences a tool: {silenced}", ()
        if plan.version.parsed is None or plan.version.parsed.broken:
            return None, ()
        if breaks_syntax(program, lines, plan.version.parsed):
            return "the result does not parse", ()
        return None, ("syntax",)

    def _ended(self, plan: Plan, counts: Counts, reason: str) -> EditResult:
        return self._result(plan, "cancelled" if reason == "cancelled" else "refused", counts, reason=reason)

    def _result(self, plan: Plan, status: Status, counts: Counts, **more: object) -> EditResult:
        total = (time.perf_counter() - self._started) * 1e3
        return EditResult(
            status,
            plan.version.lines.text,
            plan.version.number,
            counts=counts,
            ms={"total": total},
            **more,  # type: ignore[arg-type]
        )


def _spent(entry: _Entry, best: Counts | None = None) -> Counts:
    """What a request cost, all candidates together; what copies covered is the winner's alone."""
    total = Counts()
    for counts in (entry.counts, *entry.tallies):
        total += counts
    total.covered = best.covered if best is not None else 0
    return total
