"""Fixes before anybody asks: while the model is idle, those of known diagnostics in sight are computed and judged.

What is kept is kept for a diagnostic and the text of its scope: it moves with its lines through every change, and is dropped when
one meets it. Bounded per document by the settings; everything else goes first, here and in the engine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from copydesk.request import Diagnostic
from copydesk.text.document import Change, TextEdit
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.messages import ModelInfo
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.diagnostics import ClientDiagnostic, DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import StoppedError
from copydesk_server.lsp.edit_requests import EditRequests
from copydesk_server.lsp.edit_service import EditService
from copydesk_server.lsp.rebase import move_diagnostic, move_outcome
from copydesk_server.lsp.session_state import SessionState

log = logging.getLogger(__name__)

CALM = 0.3
"""Seconds without a change before anything is computed: a person who types wants none of it."""

Later: TypeAlias = Callable[[float, Callable[[], None]], asyncio.TimerHandle]


@dataclass(slots=True)
class _Entry:
    """What came of one diagnostic. text: that of the scope, line for line; model: who said it."""

    diagnostic: Diagnostic
    outcome: EditOutcome
    text: str
    model: ModelInfo | None


class Prefetch:
    """The fixes there are already. `later` is how it waits for calm."""

    def __init__(
        self,
        state: SessionState,
        tasks: BackgroundTasks,
        engine: Engine,
        diagnostics: DiagnosticStore,
        requests: EditRequests,
        edits: EditService,
        later: Later | None = None,
    ) -> None:
        self._state, self._tasks, self._engine = state, tasks, engine
        self._diagnostics, self._requests, self._edits = diagnostics, requests, edits
        self._later: Later = later if later is not None else asyncio.get_running_loop().call_later
        self._entries: dict[str, list[_Entry]] = {}  # by URI, the oldest first
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._callbacks: list[Callable[[OpenDocument], None]] = []
        state.documents.subscribe(self._on_open, self._on_change, self._on_close)
        diagnostics.subscribe(self.schedule)
        edits.when_idle(self.schedule)
        state.settings.subscribe(self._on_settings)

    def lookup(self, document: OpenDocument, diagnostic: Diagnostic) -> EditOutcome | None:
        """What is known to come of `diagnostic` in the document as it stands; None where it has to be asked."""
        for entry in self._entries.get(document.uri, ()):
            if (
                entry.diagnostic == diagnostic
                and entry.outcome.status != "failed"
                and self._holds(document, entry)
            ):
                return entry.outcome
        return None

    def learn(self, document: OpenDocument, diagnostic: Diagnostic, outcome: EditOutcome) -> None:
        """Keep what came of a fix that somebody asked for, of the document as it stands."""
        self._keep(document, _Entry(diagnostic, outcome, _text(document, outcome), self._engine.info))

    def subscribe(self, callback: Callable[[OpenDocument], None]) -> None:
        """Be told of the document of which one more is there."""
        self._callbacks.append(callback)

    def fixes(self, document: OpenDocument) -> Iterator[tuple[Diagnostic, EditOutcome]]:
        """The edits that are known for the document as it stands, the oldest first."""
        for entry in self._entries.get(document.uri, ()):
            if entry.outcome.status == "edited" and self._holds(document, entry):
                yield entry.diagnostic, entry.outcome

    def forget(self, document: OpenDocument, concerns: Callable[[Diagnostic], bool]) -> None:
        """What is known of these findings does not hold any more, though their lines have not changed."""
        entries = self._entries.get(document.uri, ())
        self._entries[document.uri] = [entry for entry in entries if not concerns(entry.diagnostic)]
        self._edits.stop_prefetching()
        self.schedule()

    def schedule(self) -> None:
        """There may be something to do, once it is calm."""
        # What comes in while it waits does not put it off: an editor may ask for actions with every move of the cursor.
        if self._timer is None:
            self._timer = self._later(CALM, self._begin)

    @property
    def count(self) -> int:
        """How many fixes are kept."""
        return sum(map(len, self._entries.values()))

    # -- computing -----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._timer = None
        if self._task is None or self._task.done():
            self._task = self._tasks.spawn(self._work(), "prefetch")
        else:
            self._task.add_done_callback(lambda _: self.schedule())  # it may have been told to stop

    async def _work(self) -> None:
        while (chosen := self._next()) is not None:
            document, finding = chosen
            model = self._engine.info
            version = document.version
            try:
                outcome = await self._edits.run(
                    self._requests.fix(document, finding.diagnostic, priority="prefetch")
                )
            except StoppedError as error:
                log.debug("not ahead: %s", error.message)
                return  # a change or a request: both call `schedule`
            changes = document.changes_since(version)
            diagnostic = move_diagnostic(finding.diagnostic, changes) if changes is not None else None
            if diagnostic is not None and self._state.documents.get(document.uri) is document:
                self._keep(document, _Entry(diagnostic, outcome, _text(document, outcome), model))

    def _next(self) -> tuple[OpenDocument, ClientDiagnostic] | None:
        """The first finding in sight that nothing is known of."""
        if self._engine.state != "ready" or self._edits.busy:
            return None
        for document in self._state.documents:
            for finding in self._wanted(document):
                if not any(
                    entry.diagnostic == finding.diagnostic and self._holds(document, entry)
                    for entry in self._entries.get(document.uri, ())
                ):
                    return document, finding
        return None

    def _wanted(self, document: OpenDocument) -> Sequence[ClientDiagnostic]:
        settings = self._state.settings.of(document.uri)
        limit = settings.precompute_limit if settings.precompute else 0
        return self._diagnostics.in_sight(document)[:limit] if limit else ()

    def _keep(self, document: OpenDocument, entry: _Entry) -> None:
        entries = [e for e in self._entries.get(document.uri, ()) if e.diagnostic != entry.diagnostic]
        entries.append(entry)
        limit = self._state.settings.of(document.uri).precompute_limit
        wanted = [finding.diagnostic for finding in self._wanted(document)]
        while len(entries) > limit:
            # What is out of sight goes first, the oldest of it before the rest.
            entries.remove(next((e for e in entries if e.diagnostic not in wanted), entries[0]))
        self._entries[document.uri] = entries
        for callback in self._callbacks:
            callback(document)

    def _holds(self, document: OpenDocument, entry: _Entry) -> bool:
        """Whether it is about the text that is there, and the model's that is loaded."""
        now = self._engine.info
        return (
            (now is None or entry.model is now)
            and entry.outcome.version == document.version
            and entry.text == _text(document, entry.outcome)
        )

    # -- the text changes ----------------------------------------------------------------------------------------------

    def _on_open(self, document: OpenDocument) -> None:
        self._entries[document.uri] = []

    def _on_change(self, document: OpenDocument, changes: list[Change], _edits: list[TextEdit]) -> None:
        kept: list[_Entry] = []
        for entry in self._entries.get(document.uri, ()):
            diagnostic = move_diagnostic(entry.diagnostic, changes)
            outcome = move_outcome(entry.outcome, document.version, changes)
            if diagnostic is not None and outcome is not None:
                kept.append(_Entry(diagnostic, outcome, entry.text, entry.model))
        self._entries[document.uri] = kept
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.schedule()

    def _on_close(self, document: OpenDocument) -> None:
        self._entries.pop(document.uri, None)

    def _on_settings(self) -> None:
        """They decide what is asked, and whether: nothing from before holds."""
        for entries in self._entries.values():
            entries.clear()
        self._edits.stop_prefetching()
        self.schedule()


def _text(document: OpenDocument, outcome: EditOutcome) -> str:
    """The lines an outcome is about."""
    return "\0".join("".join(document.lines.lines[first - 1 : last]) for first, last in outcome.scope)
