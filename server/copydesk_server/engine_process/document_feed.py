"""The documents the engine is to have, and what the child that runs was told of them.

Where the child does not keep up a document falls behind: its changes are not sent any more, and its text is once there is room.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from copydesk.request import Range
from copydesk.text.document import Encoding, TextEdit
from copydesk_server.engine_process.connection import EngineConnection
from copydesk_server.engine_process.messages import pack_edits

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Open:
    """What it takes to open a document in another child."""

    name: str
    language: str
    version: int
    text: Callable[[], str]
    fed: bool = False
    """The child that runs was told of it."""


class DocumentFeed:
    """Documents by the caller's numbers. Without a child nothing is sent, and all of it is to the next one."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._link: EngineConnection | None = None
        self._behind: set[int] = set()  # documents of which the child has no text, or an old one

    def __len__(self) -> int:
        return len(self._open)

    @property
    def behind(self) -> frozenset[int]:
        """The documents that fell behind."""
        return frozenset(self._behind)

    def version(self, doc: int) -> int | None:
        """The document's version; None where it is not open."""
        known = self._open.get(doc)
        return known.version if known is not None else None

    def connect(self, link: EngineConnection | None) -> None:
        """Send every document to another child; None: there is none."""
        self._link = link
        if link is None:
            return
        self._behind.clear()
        for doc, known in self._open.items():
            known.fed = False
            self.send(doc)

    def open(self, doc: int, name: str, language: str, version: int, text: Callable[[], str]) -> None:
        """text: the document's text as it stands, whenever a child needs it."""
        self._open[doc] = _Open(name, language, version, text)
        self.send(doc)

    def splice(self, doc: int, version: int, changes: Sequence[TextEdit], encoding: Encoding | str) -> bool:
        """False where the document has just fallen behind."""
        self._open[doc].version = version
        if self._link is None or doc in self._behind:
            return True
        if self._link.full:
            log.warning("the engine does not keep up: document %d is sent again later", doc)
            self._behind.add(doc)
            return False
        self._link.send(
            {
                "kind": "splice",
                "doc": doc,
                "version": version,
                "encoding": str(encoding),
                "changes": pack_edits(changes),
            }
        )
        return True

    def look_at(self, doc: int, ranges: Sequence[Range]) -> None:
        """The person sees these 1-based lines."""
        if doc in self._open and self._link is not None and not self._link.full:
            self._link.send({"kind": "look", "doc": doc, "ranges": list(ranges)})

    def close(self, doc: int) -> None:
        """Does nothing for one that is not open."""
        known = self._open.pop(doc, None)
        self._behind.discard(doc)
        if known is not None and known.fed and self._link is not None:
            self._link.send({"kind": "close", "doc": doc})

    def send(self, doc: int) -> None:
        """Send an open document as it stands; later, where there is no room."""
        known = self._open.get(doc)
        if known is None or self._link is None:
            return
        if self._link.full:
            self._behind.add(doc)
            return
        self._behind.discard(doc)
        known.fed = True
        self._link.send(
            {
                "kind": "open",
                "doc": doc,
                "name": known.name,
                "language": known.language,
                "version": known.version,
                "text": known.text(),
            }
        )

    def catch_up(self) -> None:
        """There is room again."""
        for doc in list(self._behind):
            self.send(doc)
