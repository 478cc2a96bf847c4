"""Keeps the engine's documents in step with the client's, except those that are too large.

A document beyond the limits of the settings never reaches the engine, where a long text costs far more than it does here; the
person is told once.
"""

from __future__ import annotations

from copydesk.request import Diagnostic
from copydesk.text.document import Change, TextEdit
from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState


class EngineSync:
    """Subscribe it before anything else that asks the engine about a document that has just changed."""

    def __init__(self, state: SessionState, engine: Engine, client: Client) -> None:
        self._state, self._engine, self._client = state, engine, client
        self._too_large: dict[int, str] = {}  # why, by the document's id
        state.documents.subscribe(self._on_open, self._on_change, self._on_close)
        state.settings.subscribe(self._on_settings)

    def too_large(self, document: OpenDocument) -> str | None:
        """Which limit `document` exceeds; None where the engine has its text."""
        return self._too_large.get(document.id)

    def refusal(self, document: OpenDocument) -> str | None:
        """Why nothing can be done for `document`; None where it is served."""
        if not self._knows(document.language):
            return f"the model does not know {document.language}"
        return self.too_large(document)

    def understands(self, diagnostic: Diagnostic) -> bool:
        """Whether anybody can say what a fix of it would be: its tool, which proposes one, the kinds that are known here, or the
        model. Before that is loaded nothing is ruled out.
        """
        # Not before it is needed: `initialize` has no time for imports.
        from copydesk.quickfixes.kinds import classify

        model = self._engine.info
        return (
            model is None
            or model.reads_messages
            or bool(diagnostic.fixes)
            or classify(diagnostic) is not None
        )

    def _knows(self, language: str) -> bool:
        """Whether the model declares `language`. Before it is loaded nobody knows, and nothing is ruled out."""
        model = self._engine.info
        return model is None or not model.languages or language in model.languages

    def _on_open(self, document: OpenDocument) -> None:
        if self._serves(document):
            self._open(document)

    def _on_change(self, document: OpenDocument, _: list[Change], edits: list[TextEdit]) -> None:
        served = document.id not in self._too_large
        if self._serves(document):
            if served:
                self._engine.splice(document.id, document.version, edits, self._state.encoding)
            else:
                self._open(document)
        elif served:
            self._engine.close_document(document.id)

    def _on_close(self, document: OpenDocument) -> None:
        if self._too_large.pop(document.id, None) is None:
            self._engine.close_document(document.id)
        self._client.settle(f"too-large-{document.id}")

    def _on_settings(self) -> None:
        for document in self._state.documents:
            served = document.id not in self._too_large
            if self._serves(document) == served:
                continue
            if served:
                self._engine.close_document(document.id)
            else:
                self._open(document)

    def _open(self, document: OpenDocument) -> None:
        self._engine.open(
            document.id, document.name, document.language, document.version, lambda: document.lines.text
        )

    def _serves(self, document: OpenDocument) -> bool:
        """Decide by the document's size. The person reads why not, once per document."""
        settings, size = self._state.settings.of(document.uri), document.size
        if document.forgotten:
            reason = f"it has more than {document.most_bytes} bytes; open it again when it is smaller"
        elif size.bytes > settings.max_document_bytes:
            reason = f"it has more than {settings.max_document_bytes} bytes (the setting `maxDocumentBytes`)"
        elif size.longest > settings.max_line_bytes:
            reason = (
                f"it has a line of more than {settings.max_line_bytes} bytes (the setting `maxLineBytes`)"
            )
        else:
            self._too_large.pop(document.id, None)
            return True
        self._too_large[document.id] = reason
        self._client.say_once(f"too-large-{document.id}", f"copydesk leaves {document.name} alone: {reason}.")
        return False
