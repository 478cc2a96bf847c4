"""Keeps the engine's documents the client's: what is opened, changed and closed here is so there. Knows no request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.document import Change, TextEdit
from copydesk_server.lsp.documents import OpenDocument

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer


def register(server: CopydeskServer) -> None:
    """Must come before whoever asks the engine about a document that just changed."""
    engine = server.engine

    def opened(document: OpenDocument) -> None:
        engine.open(
            document.id, document.name, document.language, document.version, lambda: document.lines.text
        )

    def changed(document: OpenDocument, _: list[Change], edits: list[TextEdit]) -> None:
        engine.splice(document.id, document.version, edits, server.encoding)

    def closed(document: OpenDocument) -> None:
        engine.close_document(document.id)

    server.documents.subscribe(opened, changed, closed)
