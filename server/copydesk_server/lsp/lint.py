"""The setting `lint`: ruff on the buffer, published under a source of our own.

`on`: always, for editors that run one server per buffer. `auto`: for clients that say what other tools find, until one of them
finds something: who has no linter is not left without, and who has one sees nothing twice. `off`: never. A run starts when the
person pauses; what it finds is published with the version it is of, and thrown away where the text has gone on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from copydesk.request import Diagnostic
from copydesk_server.errors import RuffError
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.diagnostics import (
    OWN_SOURCE,
    WORST,
    ClientDiagnostic,
    DiagnosticStore,
    shown_diagnostic,
)
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.engine_sync import EngineSync
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.verification import BackgroundVerifier

log = logging.getLogger(__name__)

PAUSE = 0.25
"""Seconds without a change before ruff runs."""
FIRST_PAUSE = 2.0
"""Seconds in which another linter may begin to report, before that is done for one who seems to have none."""
LANGUAGE = "python"

Linter: TypeAlias = Literal["other", "ruff", "none"]
"""Who reports on Python: another tool, as far as is known; ruff, run here for want of one; nobody, as there is no ruff either."""
Later: TypeAlias = Callable[[float, Callable[[], None]], asyncio.TimerHandle]


class Linting:
    """At most one run of ruff per document at a time. `later` is how it waits for a pause."""

    def __init__(
        self,
        state: SessionState,
        client: Client,
        tasks: BackgroundTasks,
        engine_sync: EngineSync,
        diagnostics: DiagnosticStore,
        verifier: BackgroundVerifier,
        later: Later | None = None,
    ) -> None:
        self._state, self._client, self._tasks = state, client, tasks
        self._engine_sync, self._diagnostics, self._verifier = engine_sync, diagnostics, verifier
        self._later: Later = later if later is not None else asyncio.get_running_loop().call_later
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._published: set[str] = set()
        state.documents.subscribe(
            self._schedule, lambda document, *_: self._schedule(document), self._on_close
        )
        state.settings.subscribe(self._reconsider)
        self._alone = False
        self.linter: Linter = "other"
        self._callbacks: list[Callable[[Linter], None]] = []
        diagnostics.subscribe(self._on_diagnostics)

    def subscribe(self, callback: Callable[[Linter], None]) -> None:
        """Be told whenever `linter` changes."""
        self._callbacks.append(callback)

    def _set_linter(self, linter: Linter) -> None:
        if linter != self.linter:
            self.linter = linter
            for callback in self._callbacks:
                callback(linter)

    def _wanted(self, document: OpenDocument) -> bool:
        lint = self._state.settings.of(document.uri).lint
        return (
            document.language == LANGUAGE
            and (lint == "on" or (lint == "auto" and self._alone))
            and self._engine_sync.too_large(document) is None
        )

    def _schedule(self, document: OpenDocument) -> None:
        self._stop_timer(document.uri)
        if self._wanted(document):
            known = self._state.settings.of(document.uri).lint == "on" or document.uri in self._published
            pause = PAUSE if known else FIRST_PAUSE
            self._timers[document.uri] = self._later(pause, lambda: self._begin(document))

    def _on_diagnostics(self) -> None:
        """Whether nobody else lints may have changed."""
        alone = self._diagnostics.reporting and LANGUAGE not in self._diagnostics.other_linters
        if alone != self._alone:
            self._alone = alone
            if not alone:
                self._set_linter("other")
            self._reconsider()

    def _begin(self, document: OpenDocument) -> None:
        self._timers.pop(document.uri, None)
        running = self._running.get(document.uri)
        if running is None or running.done():
            self._running[document.uri] = self._tasks.spawn(self._lint(document), "lint")

    async def _lint(self, document: OpenDocument) -> None:
        from copydesk_server.ruff import APPLICABLE  # not before it is needed: `initialize` has no time

        ruff = await asyncio.to_thread(self._verifier.ruff)
        if self._alone:
            self._set_linter("none" if ruff is None else "ruff")
        if ruff is None:
            if self._state.settings.of(document.uri).lint == "on":
                self._client.say_once(
                    "no-ruff", "copydesk: the setting `lint` is on, but there is no ruff to run."
                )
            return
        while self._open(document) and self._wanted(document):
            version = document.version
            try:
                fixing = replace(ruff, fixes=APPLICABLE[self._state.settings.of(document.uri).linter_fixes])
                said = await asyncio.to_thread(fixing.check, document.lines.text, document.path)
            except RuffError as error:
                self._client.say_once("ruff-failed", f"copydesk: {error}")
                return
            if document.version == version and self._open(document) and self._wanted(document):
                self._client.settle("ruff-failed")
                self._publish(document, said)
                return

    def _publish(self, document: OpenDocument, said: list[Diagnostic]) -> None:
        findings = [
            ClientDiagnostic(found, shown_diagnostic(document.lines, found, self._state.encoding, OWN_SOURCE))
            for found in (
                replace(diagnostic, source=OWN_SOURCE) for diagnostic in said if diagnostic.severity <= WORST
            )
        ]
        self._diagnostics.lint(document, findings)
        self._published.add(document.uri)
        self._client.publish_diagnostics(document.uri, [f.shown for f in findings], document.version)

    def _open(self, document: OpenDocument) -> bool:
        return self._state.documents.get(document.uri) is document

    def _on_close(self, document: OpenDocument) -> None:
        self._stop_timer(document.uri)
        self._running.pop(document.uri, None)
        self._take_back(document.uri)

    def _reconsider(self) -> None:
        for document in self._state.documents:
            if self._wanted(document):
                self._schedule(document)
            else:
                self._stop_timer(document.uri)
                if document.uri in self._published:
                    self._diagnostics.lint(document, ())
                self._take_back(document.uri)

    def _take_back(self, uri: str) -> None:
        """What was published goes; a client that was told nothing is told nothing."""
        if uri in self._published:
            self._published.discard(uri)
            self._client.publish_diagnostics(uri, [])

    def _stop_timer(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
