"""Changes that cannot be read: the text of a document is not known any more, and better none than a wrong one."""

from __future__ import annotations

import logging

from copydesk_server.lsp.client import Client
from copydesk_server.lsp.documents import Documents

log = logging.getLogger(__name__)


class UnreadableChanges:
    """Closes documents whose text is in doubt."""

    def __init__(self, documents: Documents, client: Client) -> None:
        self._documents, self._client = documents, client

    def one(self, uri: str | None) -> None:
        """A change of this document could not be read; None: it was no change of a document."""
        if uri is not None and self._documents.get(uri) is not None:
            log.warning("a document is left alone until it is opened again: a change of it could not be read")
            self._documents.close(uri)

    def any(self) -> None:
        """A change may be any document's. The person is told: nothing else shows it."""
        lost = [document.uri for document in self._documents]
        for uri in lost:
            self._documents.close(uri)
        if lost:
            self._client.say_once(
                "unreadable-change",
                "copydesk could not read a change that the editor sent, and leaves open files alone until they are opened again.",
            )
