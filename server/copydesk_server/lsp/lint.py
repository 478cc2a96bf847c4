"""The setting `lint`: ruff on the buffer, published under a source of our own, for editors that run one server per buffer.

With the setting off nothing is published. A run starts when the person pauses; what it finds is published with the version it is
of, and thrown away where the text has gone on. Knows ruff and the protocol's diagnostics; nothing of fixes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from lsprotocol import types

from copydesk.request import Diagnostic
from copydesk_server.errors import RuffError
from copydesk_server.lsp.diagnostics import WORST, Finding, shown_diagnostic
from copydesk_server.lsp.documents import OpenDocument

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

log = logging.getLogger(__name__)

SOURCE = "copydesk-ruff"
PAUSE = 0.25
"""Seconds without a change before ruff runs."""
LANGUAGE = "python"

Later: TypeAlias = Callable[[float, Callable[[], None]], asyncio.TimerHandle]


class Linting:
    """At most one run of ruff per document at a time. `later` is how it waits for a pause."""

    def __init__(self, server: CopydeskServer, later: Later | None = None) -> None:
        self._server = server
        self._later: Later = later if later is not None else asyncio.get_running_loop().call_later
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._published: set[str] = set()
        server.documents.subscribe(
            self._schedule, lambda document, *_: self._schedule(document), self._on_close
        )
        server.settings.subscribe(self._on_settings)

    def _wanted(self, document: OpenDocument) -> bool:
        return (
            document.language == LANGUAGE
            and self._server.settings.of(document.uri).lint == "on"
            and self._server.feeding.refused(document) is None
        )

    def _schedule(self, document: OpenDocument) -> None:
        self._stop_timer(document.uri)
        if self._wanted(document):
            self._timers[document.uri] = self._later(PAUSE, lambda: self._begin(document))

    def _begin(self, document: OpenDocument) -> None:
        self._timers.pop(document.uri, None)
        running = self._running.get(document.uri)
        if running is None or running.done():
            self._running[document.uri] = self._server.spawn(self._lint(document), "lint")

    async def _lint(self, document: OpenDocument) -> None:
        server = self._server
        from copydesk_server.ruff import APPLICABLE  # not before it is needed: `initialize` has no time

        ruff = await asyncio.to_thread(server.jobs.judge.ruff)
        if ruff is None:
            server.say_once("no-ruff", "copydesk: the setting `lint` is on, but there is no ruff to run.")
            return
        while self._open(document) and self._wanted(document):
            version = document.version
            try:
                fixing = replace(ruff, fixes=APPLICABLE[server.settings.of(document.uri).linter_fixes])
                said = await asyncio.to_thread(fixing.check, document.lines.text, document.path)
            except RuffError as error:
                server.say_once("ruff-failed", f"copydesk: {error}")
                return
            if document.version == version and self._open(document) and self._wanted(document):
                server.settle("ruff-failed")
                self._publish(document, said)
                return

    def _publish(self, document: OpenDocument, said: list[Diagnostic]) -> None:
        server = self._server
        findings = [
            Finding(found, shown_diagnostic(document.lines, found, server.encoding, SOURCE))
            for found in (
                replace(diagnostic, source=SOURCE) for diagnostic in said if diagnostic.severity <= WORST
            )
        ]
        server.found.lint(document, findings)
        self._published.add(document.uri)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, [f.shown for f in findings], document.version)
        )

    def _open(self, document: OpenDocument) -> bool:
        return self._server.documents.get(document.uri) is document

    def _on_close(self, document: OpenDocument) -> None:
        self._stop_timer(document.uri)
        self._running.pop(document.uri, None)
        self._take_back(document.uri)

    def _on_settings(self) -> None:
        for document in self._server.documents:
            if self._wanted(document):
                self._schedule(document)
            else:
                self._stop_timer(document.uri)
                if document.uri in self._published:
                    self._server.found.lint(document, ())
                self._take_back(document.uri)

    def _take_back(self, uri: str) -> None:
        """What was published goes; a client that was told nothing is told nothing."""
        if uri in self._published:
            self._published.discard(uri)
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _stop_timer(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()


def register(server: CopydeskServer) -> None:
    """Nothing to register: it publishes."""
    server.lint = Linting(server)
