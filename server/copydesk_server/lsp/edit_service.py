"""One way from a request to an edit the client can apply, whatever becomes of the request on the way.

    outcome = await server.jobs.run(Ask(document, request, place))

What can happen meanwhile, and what comes of it:
- the client cancels the request (its task is cancelled), or the person its progress bar: the engine's job is stopped; -32800
- a newer request for the same place: it replaces this one; -32800, for the person has moved on
- a change outside of the scope: the edit moves with its lines
- a change within the scope, or the document closed: the job is stopped; -32801, for the answer would be to another text
- the engine's process dies: asked once more, of the text as it is by then

`run` returns once or raises once, and the engine's job is over by then. An outcome is for the document's version of that moment:
who answers with it must not wait in between. Knows the engine and documents; nothing of actions and commands.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import Change, TextEdit
from copydesk_server.engine_process.jobs import HunkEvent, Job, Retracted
from copydesk_server.engine_process.messages import EngineResult
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.rebase import move_diagnostic, overlap
from copydesk_server.lsp.tickets import Ask, Outcome, Ticket, cancelled, modified, replaced
from copydesk_server.lsp.verification import Judge
from copydesk_server.lsp.workspace_edits import check_edits, text_after

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer
    from copydesk_server.verification import Verdict

log = logging.getLogger(__name__)


class JobDesk:
    """All requests on their way."""

    def __init__(self, server: CopydeskServer) -> None:
        self._server = server
        self.judge = Judge(lambda: tuple(server.folders), lambda: server.untrusted)
        self._tickets: list[Ticket] = []
        self._idle: list[Callable[[], None]] = []
        server.documents.subscribe(lambda _: None, self._on_change, self._on_close)

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an edit."""
        return any(ticket.ask.priority == "edit" for ticket in self._tickets)

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Call it each time the last edit somebody waited for is there."""
        self._idle.append(callback)

    async def run(self, ask: Ask) -> Outcome:
        """Have it edited and judged. Raises StoppedError, or CancelledError where the task that waits is cancelled."""
        ticket = Ticket(ask)
        if ask.priority == "edit":
            self._replace(ticket)
        bar = None
        if ask.title is not None or ask.token is not None:
            bar = self._server.bars.start(
                ask.title or "copydesk", token=ask.token, on_cancel=lambda: ticket.stop(cancelled())
            )
        self._tickets.append(ticket)
        try:
            return await self._carry(ticket)
        finally:
            self._tickets.remove(ticket)
            if ticket.job is not None:
                ticket.job.cancel()
            if bar is not None:
                bar.end()
            if ask.priority == "edit" and not self.busy:
                for callback in self._idle:
                    callback()

    def stop_ahead(self) -> None:
        """Nobody wants what is computed in advance."""
        for ticket in self._tickets:
            if ticket.ask.priority == "ahead":
                ticket.stop(cancelled())

    # -- on the way ----------------------------------------------------------------------------------------------------

    async def _carry(self, ticket: Ticket) -> Outcome:
        result = await self._result(ticket)
        if result.lost:
            log.info("a job was lost (%s): once more", result.reason)
            if ticket.ask.on_hunk is not None:
                ticket.ask.on_hunk(ticket.version, Retracted("the engine was restarted"))
            if not ticket.again():
                raise modified()
            result = await self._result(ticket)
        if result.status == "cancelled":
            raise cancelled()
        ticket.raise_if_stopped()
        scope = ticket.scope or ()
        outcome = Outcome(
            result.status,
            result.reason,
            ticket.version,
            result.edits,
            scope,
            result=result,
            before=ticket.before,
        )
        if result.status != "edited":
            verdict: Verdict = "refused" if result.status == "refused" else "unverified"
            return replace(self._now(ticket, replace(outcome, edits=())), verdict=verdict)
        return await self._judged(ticket, outcome)

    async def _result(self, ticket: Ticket) -> EngineResult:
        """One job's result. Raises StoppedError as soon as none is wanted: the engine is not waited for."""
        ask, server = ticket.ask, self._server
        await self._started(ticket)
        if not server.found.speaks(ticket.document.language):
            return EngineResult(
                "refused", f"the model does not know {ticket.document.language}", ticket.version
            )
        if (reason := server.feeding.refused(ticket.document)) is not None:
            return EngineResult("refused", reason, ticket.version)
        stream = ask.on_hunk is not None
        job = server.engine.submit(
            ticket.document.id, ticket.request, priority=ask.priority, stream=stream, encoding=server.encoding
        )
        ticket.submitted(job)
        shown = asyncio.create_task(self._show(ticket, job, ask.on_hunk)) if ask.on_hunk is not None else None
        try:
            await asyncio.wait((job.result, ticket.stopped), return_when=asyncio.FIRST_COMPLETED)
            ticket.raise_if_stopped()
            if shown is not None:
                await shown  # it ends with the result; no hunk comes after the answer
        finally:
            if shown is not None:
                shown.cancel()
        ticket.raise_if_stopped()
        return job.result.result()

    async def _started(self, ticket: Ticket) -> None:
        """The engine takes requests once the settings are known, a moment after `initialized`."""
        if not self._server.started.is_set():
            started = asyncio.create_task(self._server.started.wait())
            try:
                await asyncio.wait((started, ticket.stopped), return_when=asyncio.FIRST_COMPLETED)
            finally:
                started.cancel()
            if not ticket.stopped.done() and not ticket.again():
                raise modified()
        ticket.raise_if_stopped()

    @staticmethod
    async def _show(ticket: Ticket, job: Job, on_hunk: Callable[[int, HunkEvent | Retracted], None]) -> None:
        async for event in job.hunks():
            if ticket.stopped.done():
                return
            on_hunk(ticket.version, event)

    async def _judged(self, ticket: Ticket, outcome: Outcome) -> Outcome:
        """`outcome` for the document as it stands, checked against its text and judged."""
        document, encoding = ticket.document, self._server.encoding
        now = self._now(ticket, outcome)
        try:
            check_edits(document.lines, now.edits, encoding, now.scope or None)
            before, after = document.lines.text, text_after(document.lines, now.edits, encoding)
        except CopydeskError as error:
            # Nothing of this may reach a text. It is a mistake of ours and not the person's.
            log.error("an edit of the engine's does not fit its document: %s", error)
            return replace(now, status="failed", reason=str(error), edits=())
        diagnostics: list[Diagnostic] = []
        for diagnostic in ticket.request.diagnostics:
            there = move_diagnostic(diagnostic, ticket.changes)
            if there is None:
                raise modified()
            diagnostics.append(there)
        judging = asyncio.ensure_future(
            self.judge(
                before,
                after,
                diagnostics,
                language=document.language,
                path=document.path,
                checked=outcome.result.checked,
            )
        )
        try:
            await asyncio.wait((judging, ticket.stopped), return_when=asyncio.FIRST_COMPLETED)
        finally:
            judging.cancel()
        ticket.raise_if_stopped()
        said = judging.result()
        now = replace(
            self._now(ticket, outcome), verdict=said.verdict, checks=said.checks, reason=said.reason
        )
        return now if said.verdict != "refused" else replace(now, status="refused", edits=())

    @staticmethod
    def _now(ticket: Ticket, outcome: Outcome) -> Outcome:
        """Raises StoppedError where it has met a change."""
        moved = outcome.moved(ticket.document.version, ticket.changes)
        if moved is None:
            raise modified()
        return moved

    # -- meanwhile -----------------------------------------------------------------------------------------------------

    def _replace(self, newer: Ticket) -> None:
        for ticket in self._tickets:
            if (
                ticket.document is newer.document
                and (ticket.ask.group is None or ticket.ask.group is not newer.ask.group)
                and (ticket.place is None or overlap(ticket.place, newer.ask.place))
                and not ticket.stopped.done()
            ):
                ticket.stop(replaced())

    def _on_change(self, document: OpenDocument, changes: list[Change], _edits: list[TextEdit]) -> None:
        for ticket in self._tickets:
            if ticket.document is document:
                ticket.changed(changes)

    def _on_close(self, document: OpenDocument) -> None:
        for ticket in self._tickets:
            if ticket.document is document:
                ticket.stop(modified("the document was closed"))


def register(server: CopydeskServer) -> None:
    """Nothing is offered to the client: others ask `server.jobs`."""
    server.jobs = JobDesk(server)
