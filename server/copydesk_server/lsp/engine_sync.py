"""Keeps the engine's documents the client's: what is opened, changed and closed here is so there, unless it is too large.

A document beyond the limits of the settings never reaches the engine, for which a long text costs far more than it does here; the
person is told once. Knows no request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.text.document import Change, TextEdit
from copydesk_server.lsp.documents import OpenDocument

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer


class Feeding:
    """What the engine is told of documents."""

    def __init__(self, server: CopydeskServer) -> None:
        self._server = server
        self._refused: dict[int, str] = {}  # why, by the document's id
        server.documents.subscribe(self._on_open, self._on_change, self._on_close)
        server.settings.subscribe(self._on_settings)

    def refused(self, document: OpenDocument) -> str | None:
        """Why nothing is done for `document`; None where it is served."""
        return self._refused.get(document.id)

    def _on_open(self, document: OpenDocument) -> None:
        if self._serves(document):
            self._open(document)

    def _on_change(self, document: OpenDocument, _: list[Change], edits: list[TextEdit]) -> None:
        served = document.id not in self._refused
        if self._serves(document):
            if served:
                self._server.engine.splice(document.id, document.version, edits, self._server.encoding)
            else:
                self._open(document)
        elif served:
            self._server.engine.close_document(document.id)

    def _on_close(self, document: OpenDocument) -> None:
        if self._refused.pop(document.id, None) is None:
            self._server.engine.close_document(document.id)
        self._server.settle(f"too-large-{document.id}")

    def _on_settings(self) -> None:
        for document in self._server.documents:
            served = document.id not in self._refused
            if self._serves(document) == served:
                continue
            if served:
                self._server.engine.close_document(document.id)
            else:
                self._open(document)

    def _open(self, document: OpenDocument) -> None:
        self._server.engine.open(
            document.id, document.name, document.language, document.version, lambda: document.lines.text
        )

    def _serves(self, document: OpenDocument) -> bool:
        """Decide by the document's size. The person reads why not, once per document."""
        settings, size = self._server.settings.of(document.uri), document.size
        if document.forgotten:
            reason = f"it has more than {document.most_bytes} bytes; open it again when it is smaller"
        elif size.bytes > settings.max_document_bytes:
            reason = f"it has more than {settings.max_document_bytes} bytes (the setting `maxDocumentBytes`)"
        elif size.longest > settings.max_line_bytes:
            reason = (
                f"it has a line of more than {settings.max_line_bytes} bytes (the setting `maxLineBytes`)"
            )
        else:
            self._refused.pop(document.id, None)
            return True
        self._refused[document.id] = reason
        self._server.say_once(f"too-large-{document.id}", f"copydesk leaves {document.name} alone: {reason}.")
        return False


def register(server: CopydeskServer) -> None:
    """Must come before whoever asks the engine about a document that just changed."""
    server.feeding = Feeding(server)
