"""One edit that was asked for, from the request to its outcome: what is wanted, and what has happened to the document since."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Literal, TypeAlias

from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Change
from copydesk_server.engine_process.jobs import EngineJob, HunkEvent, Priority, Retracted
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import StoppedError, modified
from copydesk_server.lsp.rebase import move_diagnostic, move_range, move_ranges

_NUMBERS = count(1)

EditKind: TypeAlias = Literal["fix", "rewrite", "fixAll"]
OnHunk: TypeAlias = Callable[[int, HunkEvent | Retracted], None]


class EditTask:
    """An edit of `document`, asked for as it stands when this is made.

    request: as the engine takes it; of the kind `fixAll` it is split into one task a finding first.
    number: greater for one made later.
    place: the 1-based lines it is about; a newer request there replaces it, unless both are of one `group`.
    on_hunk: called with each hunk and the version it is for.
    title: of the progress bar, None for none; token: of the client's own bar.
    """

    def __init__(
        self,
        kind: EditKind,
        document: OpenDocument,
        request: EditRequest,
        place: Range,
        *,
        priority: Priority = "edit",
        group: object = None,
    ) -> None:
        self.number = next(_NUMBERS)
        self.kind: EditKind = kind
        self.document = document
        self.request = request
        self.place: Range | None = place
        self.priority: Priority = priority
        self.group = group
        self.title: str | None = None
        self.token: int | str | None = None
        self.on_hunk: OnHunk | None = None
        self.version = document.version  # the job's
        self.changes: list[Change] = []  # since that version
        self.stopped: asyncio.Future[StoppedError] = asyncio.get_running_loop().create_future()
        self.job: EngineJob | None = None
        self.before: tuple[str, ...] | None = None  # the job's lines; the strings are the document's own
        self.scope: tuple[Range, ...] | None = None  # of the job's version

    @property
    def diagnostic(self) -> Diagnostic | None:
        """What is to be fixed, of the job's version; None for an instruction."""
        return self.request.diagnostics[0] if self.request.diagnostics else None

    def stop(self, error: StoppedError) -> None:
        """No result is wanted any more. The first reason counts."""
        if not self.stopped.done():
            self.stopped.set_result(error)
        if self.job is not None:
            self.job.cancel()

    def raise_if_stopped(self) -> None:
        """Raises StoppedError."""
        if self.stopped.done():
            raise self.stopped.result()

    def submitted(self, job: EngineJob) -> None:
        """`job` was submitted for the document as it stands."""
        self.job, self.version, self.changes = job, self.document.version, []
        self.before = tuple(self.document.lines.lines)
        self.scope = tuple(self.request.scope) if self.request.scope is not None else None
        job.planned.add_done_callback(lambda planned: self._planned(job, planned))

    def changed(self, changes: Sequence[Change]) -> None:
        """The document has changed. As long as the scope is not known, whether that matters is open."""
        self.changes += changes
        if self.place is not None:
            self.place = move_range(self.place, changes)
        self._check_scope()

    def update_request(self) -> None:
        """Make the request one for the document as it stands. Raises StoppedError where it no longer makes sense."""
        diagnostics = [move_diagnostic(d, self.changes) for d in self.request.diagnostics]
        scope = move_ranges(self.request.scope, self.changes) if self.request.scope is not None else None
        if None in diagnostics or (scope is None and self.request.scope is not None):
            raise modified()
        self.request = replace(
            self.request, diagnostics=[d for d in diagnostics if d is not None], scope=scope
        )
        self.version, self.changes = self.document.version, []
        self.scope = None  # where the job may write is not known before it is planned

    def _planned(self, job: EngineJob, planned: asyncio.Future[tuple[Range, ...]]) -> None:
        if job is self.job and not planned.cancelled() and planned.result():
            self.scope = planned.result()
            self._check_scope()

    def _check_scope(self) -> None:
        if self.scope is not None and self.changes and move_ranges(self.scope, self.changes) is None:
            self.stop(modified())
