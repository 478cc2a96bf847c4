"""A request on its way: what was asked, what has changed since, whether it is to stop, and what came of it.

Bookkeeping only: `jobs.py` makes the calls. Knows the engine's jobs and documents; nothing of the protocol but the codes
of the two errors a request may end in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcException

from copydesk.request import EditRequest, Range
from copydesk.text.document import Change, TextEdit
from copydesk_server.engine_process.jobs import HunkEvent, Job, Priority, Retracted
from copydesk_server.engine_process.messages import EngineResult, Status
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.rebase import move_diagnostic, move_range, move_ranges, rebase

if TYPE_CHECKING:
    from copydesk_server.verification import Verdict

CANCELLED = -32800
CONTENT_MODIFIED = -32801


class StoppedError(JsonRpcException):
    """A request that is not answered with a result. The code and the words go to the client."""


def cancelled() -> StoppedError:
    """Raise it where the person does not want an answer any more."""
    return StoppedError("cancelled", CANCELLED)


def replaced() -> StoppedError:
    """Cancelled, too: by the person, who has asked for something else there."""
    return StoppedError("a newer request for the same place", CANCELLED)


def modified(reason: str = "the text it is for has changed") -> StoppedError:
    """Raise it where an answer would be to another text than the one asked about."""
    return StoppedError(reason, CONTENT_MODIFIED)


@dataclass(slots=True)
class Ask:
    """What is wanted, of `document` as it stands.

    place: the lines it is about; a newer request there replaces it, unless they are of one group. on_hunk: shown each hunk, with
    the version it is for. title: for the progress bar, None for none; token: the client's own bar.
    """

    document: OpenDocument
    request: EditRequest
    place: Range
    priority: Priority = "edit"
    on_hunk: Callable[[int, HunkEvent | Retracted], None] | None = None
    title: str | None = None
    token: int | str | None = None
    group: object = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it. `edits` are for version `version`, within `scope`, in the client's encoding; empty unless edited.

    verdict: what the judge says of it; "refused" goes with the status refused. It was said of the version judged: changes
    elsewhere do not take it back. before: the lines of the text it was computed from, version `result.version`.
    """

    status: Status
    reason: str | None
    version: int
    edits: tuple[TextEdit, ...] = ()
    scope: tuple[Range, ...] = ()
    verdict: Verdict = "unverified"
    checks: tuple[str, ...] = ()
    result: EngineResult = field(default_factory=lambda: EngineResult("cancelled", None, 0))
    before: tuple[str, ...] | None = None

    def moved(self, version: int, changes: Sequence[Change]) -> Outcome | None:
        """The same for a later version; None where a change met its scope."""
        there = rebase(self.edits, self.scope, changes)
        return (
            replace(self, version=version, edits=there.edits, scope=there.scope)
            if there is not None
            else None
        )


class Ticket:
    """A request on its way: what has changed since its job was submitted, and whether it is to stop."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.document = ask.document
        self.request = ask.request
        self.place: Range | None = ask.place
        self.version = ask.document.version  # the job's
        self.changes: list[Change] = []  # since that version
        self.stopped: asyncio.Future[StoppedError] = asyncio.get_running_loop().create_future()
        self.job: Job | None = None
        self.before: tuple[str, ...] | None = None  # the job's lines; the strings are the document's own
        self.scope: tuple[Range, ...] | None = None  # of the job's version

    def stop(self, error: StoppedError) -> None:
        """No result is wanted any more. The first reason counts."""
        if not self.stopped.done():
            self.stopped.set_result(error)
        if self.job is not None:
            self.job.cancel()

    def submitted(self, job: Job) -> None:
        """A job for the document as it stands."""
        self.job, self.version, self.changes = job, self.document.version, []
        self.before = tuple(self.document.lines.lines)
        self.scope = tuple(self.request.scope) if self.request.scope is not None else None
        job.planned.add_done_callback(lambda planned: self._planned(job, planned))

    def changed(self, changes: Sequence[Change]) -> None:
        """The document has. Where the scope is not known yet, this waits for it."""
        self.changes += changes
        if self.place is not None:
            self.place = move_range(self.place, changes)
        self._check()

    def again(self) -> bool:
        """Make the request one of the document as it stands; False where it no longer makes sense."""
        diagnostics = [move_diagnostic(d, self.changes) for d in self.request.diagnostics]
        scope = move_ranges(self.request.scope, self.changes) if self.request.scope is not None else None
        if None in diagnostics or (scope is None and self.request.scope is not None):
            return False
        self.request = replace(
            self.request, diagnostics=[d for d in diagnostics if d is not None], scope=scope
        )
        return True

    def raise_if_stopped(self) -> None:
        if self.stopped.done():
            raise self.stopped.result()

    def _planned(self, job: Job, planned: asyncio.Future[tuple[Range, ...]]) -> None:
        if job is self.job and not planned.cancelled() and planned.result():
            self.scope = planned.result()
            self._check()

    def _check(self) -> None:
        if self.scope is not None and self.changes and move_ranges(self.scope, self.changes) is None:
            self.stop(modified())
