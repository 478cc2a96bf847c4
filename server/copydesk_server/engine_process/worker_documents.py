"""The documents of the worker, kept as the parent says; where that fails, the parent is asked to send one again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from copydesk.errors import DocumentTooLargeError
from copydesk_server.engine_process.messages import Message, unpack_edits, unpack_ranges
from copydesk_server.engine_process.worker_main import Channel

if TYPE_CHECKING:
    from copydesk.editor import Document, Editor


class WorkerDocuments:
    """By the parent's numbers. on_close: called with each document that is let go."""

    def __init__(self, editor: Editor, channel: Channel, on_close: Callable[[Document], None]) -> None:
        self._editor, self._channel, self._on_close = editor, channel, on_close
        self._open: dict[int, Document] = {}
        self._too_large: dict[int, str] = {}  # documents that are not held, and why

    def __len__(self) -> int:
        return len(self._open)

    def get(self, doc: int) -> Document | None:
        """The document; None where it is not held."""
        return self._open.get(doc)

    def too_large(self, doc: int) -> str | None:
        """Why a document is not held, where its size is the reason."""
        return self._too_large.get(doc)

    def texts(self) -> dict[int, str]:
        """The text of every document that is held; from any thread."""
        return {doc: document.text for doc, document in list(self._open.items())}

    def open(self, message: Message) -> None:
        """Replaces one of the same number."""
        doc = message["doc"]
        self.close(doc)
        try:
            self._open[doc] = self._editor.open(
                message["name"],
                message["text"],
                language=message["language"],
                version=message["version"],
            )
        except DocumentTooLargeError as error:  # to send it again would not help: requests are told
            self._too_large[doc] = str(error)

    def splice(self, message: Message) -> bool:
        """Whether the document is held and was changed."""
        doc, edits = message["doc"], unpack_edits(message["changes"])
        document = self._open.get(doc)
        if document is None:
            # It is being sent again; or it was too large, and may not be any more where something was deleted.
            if doc in self._too_large and any(edit.end > edit.start for edit in edits):
                del self._too_large[doc]
                self._channel.send({"kind": "resync", "doc": doc})
            return False
        version, encoding = message["version"], message["encoding"]
        try:
            for edit in edits:
                document.splice(edit.start, edit.end, edit.new_text, version=version, encoding=encoding)
        except DocumentTooLargeError as error:
            self.close(doc)
            self._too_large[doc] = str(error)
            return False
        document.version = version
        return True

    def look_at(self, message: Message) -> None:
        """The person sees these lines."""
        document, ranges = self._open.get(message["doc"]), unpack_ranges(message["ranges"])
        if document is not None and ranges:
            document.look_at(*ranges[0], *ranges[1:])

    def close(self, doc: int) -> None:
        """Let it go. Does nothing for one that is not held."""
        self._too_large.pop(doc, None)
        document = self._open.pop(doc, None)
        if document is not None:
            document.close()
            self._on_close(document)

    def resync(self, doc: int) -> None:
        """The document missed a change: ask the parent for its text."""
        self.close(doc)
        self._channel.send({"kind": "resync", "doc": doc})
