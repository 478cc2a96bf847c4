"""One way from an edit task to an edit the client can apply, whatever becomes of the request meanwhile.

    outcome = await edits.run(task)

What can happen meanwhile, and what comes of it:
- the client cancels the request (its task is cancelled), or the person its progress bar: the engine's job is stopped; -32800
- a newer request for the same place: it replaces this one; -32800, for the person has moved on
- a change outside of the scope: the edit moves with its lines
- a change within the scope, or the document closed: the job is stopped; -32801, for the answer would be to another text
- the engine's process dies: asked once more, for the text as it is by then

`run` returns once or raises once, and the engine's job is over by then. An outcome is for the document's version of that moment:
who answers with it must not wait in between.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import Change, TextEdit
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.edit_outcome import EditAlternative, EditOutcome
from copydesk_server.engine_process.jobs import EngineJob, Retracted
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import cancelled, modified, replaced
from copydesk_server.lsp.edit_task import EditTask, OnHunk
from copydesk_server.lsp.engine_sync import EngineSync
from copydesk_server.lsp.progress import ProgressBars
from copydesk_server.lsp.proposed_fixes import Propose
from copydesk_server.lsp.rebase import move_diagnostic, move_outcome, overlap
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.verification import Verify
from copydesk_server.lsp.workspace_edits import check_edits, text_after

if TYPE_CHECKING:
    from copydesk_server.verification import Judgement, Verdict

log = logging.getLogger(__name__)


class EditService:
    """All edit tasks on their way. started: set once the engine was told to start; until then it takes no requests."""

    def __init__(
        self,
        state: SessionState,
        engine: Engine,
        engine_sync: EngineSync,
        bars: ProgressBars,
        propose: Propose,
        verify: Verify,
        started: asyncio.Event,
    ) -> None:
        self._state, self._engine, self._engine_sync, self._bars = state, engine, engine_sync, bars
        self._propose, self._verify, self._started = propose, verify, started
        self._tasks: list[EditTask] = []
        self._idle: list[Callable[[], None]] = []
        state.documents.subscribe(lambda _: None, self._on_change, self._on_close)

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an edit."""
        return any(task.priority == "edit" for task in self._tasks)

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Call it each time the last edit somebody waited for is there."""
        self._idle.append(callback)

    async def run(self, task: EditTask) -> EditOutcome:
        """Have it edited and verified. Raises StoppedError, or CancelledError where the task that waits is cancelled."""
        if task.priority == "edit":
            self._replace(task)
            task.raise_if_stopped()
        bar = None
        if task.title is not None or task.token is not None:
            bar = self._bars.start(
                task.title or "copydesk", token=task.token, on_cancel=lambda: task.stop(cancelled())
            )
        self._tasks.append(task)
        try:
            result = await self._result(task)
            if result.lost:
                log.info("a job was lost (%s): once more", result.reason)
                if task.on_hunk is not None:
                    task.on_hunk(task.version, Retracted("the engine was restarted"))
                task.update_request()
                result = await self._result(task)
            return await self._outcome(task, result)
        finally:
            self._tasks.remove(task)
            if task.job is not None:
                task.job.cancel()
            if bar is not None:
                bar.end()
            if task.priority == "edit" and not self.busy:
                for callback in self._idle:
                    callback()

    def stop_prefetching(self) -> None:
        """Nobody wants what is computed in advance."""
        for task in self._tasks:
            if task.priority == "prefetch":
                task.stop(cancelled())

    # -- on the way ----------------------------------------------------------------------------------------------------

    async def _result(self, task: EditTask) -> EditOutcome:
        """One job's result. Raises StoppedError as soon as none is wanted: the engine is not waited for."""
        if not self._started.is_set():
            # The engine takes requests once the settings are known, a moment after `initialized`.
            await _first(asyncio.ensure_future(self._started.wait()), task)
            task.update_request()
        task.raise_if_stopped()
        if (reason := self._engine_sync.refusal(task.document)) is not None:
            return EditOutcome("refused", reason, task.version)
        if (proposing := self._propose(task.document, task.request.diagnostics)) is not None:
            diagnostics = await _first(asyncio.ensure_future(proposing), task)
            task.request = replace(task.request, diagnostics=diagnostics)
            task.update_request()
        job = self._engine.submit(
            task.document.id,
            task.request,
            priority=task.priority,
            stream=task.on_hunk is not None,
            encoding=self._state.encoding,
        )
        task.submitted(job)
        shown = asyncio.create_task(_show(task, job, task.on_hunk)) if task.on_hunk is not None else None
        try:
            await asyncio.wait((job.result, task.stopped), return_when=asyncio.FIRST_COMPLETED)
            task.raise_if_stopped()
            if shown is not None:
                await shown  # it ends with the result; no hunk comes after the answer
        finally:
            if shown is not None:
                shown.cancel()
        task.raise_if_stopped()
        return job.result.result()

    async def _outcome(self, task: EditTask, result: EditOutcome) -> EditOutcome:
        """The result for the document as it stands, checked against its text and verified."""
        if result.status == "cancelled":
            raise cancelled()
        outcome = replace(
            result,
            version=task.version,
            edits=result.edits if result.status == "edited" else (),
            alternatives=result.alternatives
            if result.status == "refused" or task.request.candidates > 1
            else (),
            checked=(),
            scope=task.scope or (),
            verdict=_verdict(result),
            base_version=result.version,
            before=task.before,
        )
        if outcome.alternatives and result.status != "edited":
            return await self._with_alternatives(task, outcome)
        now = _now(task, outcome)
        if result.status != "edited":
            return now
        try:
            verifying = self._verification(task, now, now.edits, result.checked, known_fix=result.known_fix)
        except CopydeskError as error:
            # Nothing of this may reach a text. It is a mistake of ours and not the person's.
            log.error("an edit of the engine's does not fit its document: %s", error)
            return replace(now, status="failed", reason=str(error), edits=())
        said = await _first(asyncio.ensure_future(verifying), task)
        now = replace(
            _now(task, outcome),
            verdict=said.verdict,
            checked=said.checks,
            applicability=said.applicability,
            reason=said.reason,
        )
        if said.verdict == "refused":
            now = replace(now, status="refused", edits=())
        if not outcome.alternatives:
            return now
        beside = await self._with_alternatives(task, outcome)
        moved = _now(task, outcome)
        return replace(
            now,
            version=moved.version,
            edits=moved.edits if now.edits else (),
            alternatives=beside.alternatives,
        )

    async def _with_alternatives(self, task: EditTask, outcome: EditOutcome) -> EditOutcome:
        """The outcome for the document as it stands, each of its alternatives verified. The person chooses later, perhaps by
        means of the client's own: nothing is offered that has not passed.
        """
        now = _now(task, outcome)
        verifying: dict[int, asyncio.Future[Judgement]] = {}
        try:
            for place, one in enumerate(now.alternatives):
                if one.edits:
                    said = self._verification(task, now, one.edits, one.checked, known_fix=False)
                    verifying[place] = asyncio.ensure_future(said)
            judgements = await _first(asyncio.gather(*verifying.values()), task)
        except CopydeskError as error:
            log.error("an alternative of the engine's does not fit its document: %s", error)
            return replace(now, alternatives=())
        finally:
            for work in verifying.values():
                work.cancel()
        now = _now(task, outcome)
        alternatives = list(now.alternatives)
        for place, said in zip(verifying, judgements, strict=True):
            one = alternatives[place]
            alternatives[place] = replace(
                one,
                edits=() if said.verdict == "refused" else one.edits,
                verdict=said.verdict,
                reason=said.reason,
                checked=said.checks,
                applicability=said.applicability,
            )
        proven = next((one for one in alternatives if _is_proven(one)), None)
        if proven is not None and now.status == "refused" and now.unsure and task.request.diagnostics:
            return now.taken(proven)
        reason = now.reason
        refused = next((one for one in alternatives if one.verdict == "refused"), None)
        if now.status == "refused" and refused is not None and not any(one.edits for one in alternatives):
            # The model's own reason is a question, and nothing of what it names can be taken.
            reason = f"the edit it thought of is refused ({refused.title}): {refused.reason}"
        return replace(now, alternatives=tuple(alternatives), reason=reason)

    def _verification(
        self,
        task: EditTask,
        now: EditOutcome,
        edits: Sequence[TextEdit],
        checked: Sequence[str],
        *,
        known_fix: bool,
    ) -> Coroutine[Any, Any, Judgement]:
        """The judgement to come of edits of the document as it stands. Raises CopydeskError for edits that do not fit it, and
        StoppedError where what they are for has changed.
        """
        document, encoding = task.document, self._state.encoding
        check_edits(document.lines, edits, encoding, now.scope or None)
        before, after = document.lines.text, text_after(document.lines, edits, encoding)
        diagnostics: list[Diagnostic] = []
        for diagnostic in task.request.diagnostics:
            there = move_diagnostic(diagnostic, task.changes)
            if there is None:
                raise modified()
            diagnostics.append(there)
        language, path = document.language, document.path
        return self._verify(
            before,
            after,
            diagnostics,
            language=language,
            path=path,
            checked=checked,
            schemas=task.request.schemas,
            known_fix=known_fix,
        )

    # -- meanwhile -----------------------------------------------------------------------------------------------------

    def _replace(self, newcomer: EditTask) -> None:
        """Of tasks for the same place the newest goes on. That need not be the newcomer, which may have waited for something."""
        assert newcomer.place is not None
        for task in self._tasks:
            if (
                task.document is newcomer.document
                and (task.group is None or task.group is not newcomer.group)
                and (task.place is None or overlap(task.place, newcomer.place))
                and not task.stopped.done()
            ):
                older = task if task.number < newcomer.number or task.priority != "edit" else newcomer
                older.stop(replaced())

    def _on_change(self, document: OpenDocument, changes: list[Change], _edits: list[TextEdit]) -> None:
        for task in self._tasks:
            if task.document is document:
                task.changed(changes)

    def _on_close(self, document: OpenDocument) -> None:
        for task in self._tasks:
            if task.document is document:
                task.stop(modified("the document was closed"))


async def _first(work: asyncio.Future[Any], task: EditTask) -> Any:
    """The result of `work`, unless the task is stopped before it is there. Raises StoppedError."""
    try:
        await asyncio.wait((work, task.stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        work.cancel()
    task.raise_if_stopped()
    return work.result()


async def _show(task: EditTask, job: EngineJob, on_hunk: OnHunk) -> None:
    async for event in job.hunks():
        if task.stopped.done():
            return
        on_hunk(task.version, event)


def _verdict(result: EditOutcome) -> Verdict:
    """Of a result that nobody has verified yet."""
    if result.status == "refused":
        return "unsure" if result.unsure else "refused"
    return "checked" if result.status == "edited" else "unchanged"


def _is_proven(one: EditAlternative) -> bool:
    """Whether the finding is gone with it, and the code means the same."""
    return bool(one.edits) and one.verdict == "confirmed" and one.applicability == "safe"


def _now(task: EditTask, outcome: EditOutcome) -> EditOutcome:
    """The outcome for the document as it stands. Raises StoppedError where a change overlaps its scope."""
    moved = move_outcome(outcome, task.document.version, task.changes)
    if moved is None:
        raise modified()
    return moved
