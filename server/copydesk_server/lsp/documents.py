"""The client's open documents: each one's lines as the client has them, its version, and how it came to that.

pygls' own copies of the text are bypassed: a change costs time in proportion to itself.
"""

from __future__ import annotations

import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from lsprotocol import types

from copydesk.text.document import Change, Encoding, Position, TextEdit, TextLines, split_lines
from copydesk_server.lsp.sizes import Size
from copydesk_server.lsp.uris import name_of, path_of, scheme_of

log = logging.getLogger(__name__)

SCHEMES = ("file", "untitled")
"""What a person edits; other schemes are views of something else (a revision, a preview)."""
REMEMBERED = 512
"""So many notifications of changes can be rebased over."""
MIRRORED = 8 << 20
"""Bytes of a document whose lines are kept; a larger one is forgotten until the client sends its whole text again, for a string a
line takes many times its text."""

ContentChange = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


@dataclass(slots=True)
class OpenDocument:
    """A document the client has open. `lines` is the client's text; only `Documents` changes it.

    forgotten: it has more than `most_bytes`, and `lines` is empty. rewritten: where the last changes were all of one line, its
    number (0-based) and what it was before them; else None.
    """

    uri: str
    id: int
    language: str
    version: int
    lines: TextLines
    path: Path | None  # of `file` documents
    name: str
    size: Size
    most_bytes: int = MIRRORED
    forgotten: bool = False
    rewritten: tuple[int, str] | None = None
    _log: deque[tuple[int, int, tuple[Change, ...]]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def changes_since(self, version: int) -> list[Change] | None:
        """Line changes in order, each in the coordinates after those before it; None: too long ago, or never its version."""
        if version == self.version:
            return []
        found: list[tuple[Change, ...]] = []
        for before, _, changes in reversed(self._log):
            found.append(changes)
            if before == version:
                return [change for changes in reversed(found) for change in changes]
        return None

    def apply(
        self, version: int, changes: Sequence[ContentChange], encoding: Encoding
    ) -> tuple[list[Change], list[TextEdit]]:
        """Change the text, one after the other. Returns the lines that changed, and the same as edits in `encoding`."""
        done: list[Change] = []
        edits: list[TextEdit] = []
        self.rewritten = None
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                if self.forgotten:
                    continue
                start, end = _ordered(change.range)
                edit = TextEdit(start, end, change.text)
            elif len(change.text) > self.most_bytes:
                self._empty(len(change.text), done, edits)
                continue
            else:
                if self.forgotten:
                    self.forgotten, self.size = False, Size(())
                edit = self._whole(change.text)
            done.append(self._splice(edit, encoding, first=not done))
            edits.append(edit)
            if self.size.bytes > self.most_bytes:
                self._empty(self.size.bytes, done, edits)
        self._log.append((self.version, version, tuple(done)))
        self.version = version
        return done, edits

    def _empty(self, size: int, done: list[Change], edits: list[TextEdit]) -> None:
        """Forget the text. Whoever follows the changes sees that all lines went: nothing of before fits what comes again."""
        if self.lines.lines:
            count = len(self.lines)
            done.append(Change(0, count, 0))
            edits.append(TextEdit(Position(0, 0), Position(count, 0), ""))
        self.forget(size)

    def forget(self, size: int) -> None:
        """Keep nothing of a text of `size` bytes but that."""
        self.forgotten, self.lines, self.size = True, TextLines(), Size(())
        self.rewritten = None
        self.size.bytes = size

    def _splice(self, edit: TextEdit, encoding: Encoding, *, first: bool) -> Change:
        # What changes lies between the lines of the edit, but for a terminator that it joins on either side.
        above = max(0, min(edit.start.line, len(self.lines)) - 1)
        before = self.lines.lines[above : edit.end.line + 2]
        change = self.lines.splice(edit.start, edit.end, edit.new_text, encoding)
        replaced = before[change.first - above : change.old_end - above]
        self.size.remove(replaced)
        if len(replaced) != 1 or change.new_count != 1:
            self.rewritten = None
        elif first:
            self.rewritten = change.first, replaced[0]
        elif self.rewritten is not None and self.rewritten[0] != change.first:
            self.rewritten = None
        self.size.add(islice(self.lines.lines, change.first, change.first + change.new_count))
        return change

    def _whole(self, text: str) -> TextEdit:
        """The new text as one edit of the lines that differ: a client that sends whole texts must not cost whole pages."""
        old, new = self.lines.lines, split_lines(text)
        shortest = min(len(old), len(new))
        head = 0
        while head < shortest and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        return TextEdit(
            Position(head, 0), Position(len(old) - tail, 0), "".join(islice(new, head, len(new) - tail))
        )


@dataclass(frozen=True, slots=True)
class Listener:
    """Who wants to know. Edits are those of one notification, in the encoding agreed on, one after the other."""

    on_open: Callable[[OpenDocument], None]
    on_change: Callable[[OpenDocument, list[Change], list[TextEdit]], None]
    on_close: Callable[[OpenDocument], None]


class Documents:
    """All open documents, by URI. Listeners are called in the order they came, after the text has changed."""

    def __init__(self, encoding: Encoding, most_bytes: Callable[[str], int] = lambda _: MIRRORED) -> None:
        """most_bytes: of a document's URI, how large it may be before its text is forgotten."""
        self.encoding = encoding
        self._most_bytes = most_bytes
        self._open: dict[str, OpenDocument] = {}
        self._ids = itertools.count(1)
        self._listeners: list[Listener] = []

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(list(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)

    def get(self, uri: str) -> OpenDocument | None:
        """The document as it stands; None for one that is not open, or of a scheme that is left alone."""
        return self._open.get(uri)

    def subscribe(
        self,
        on_open: Callable[[OpenDocument], None],
        on_change: Callable[[OpenDocument, list[Change], list[TextEdit]], None],
        on_close: Callable[[OpenDocument], None],
    ) -> None:
        """Be told of every document from now on."""
        self._listeners.append(Listener(on_open, on_change, on_close))

    def open(self, item: types.TextDocumentItem) -> None:
        """`didOpen`. One that is open already is closed first."""
        if scheme_of(item.uri) not in SCHEMES:
            return
        self.close(item.uri)
        most = self._most_bytes(item.uri)
        size = len(item.text)
        lines = TextLines(item.text if size <= most else "")
        document = OpenDocument(
            item.uri,
            next(self._ids),
            item.language_id,
            item.version,
            lines,
            path_of(item.uri),
            name_of(item.uri),
            Size(lines.lines),
            most,
        )
        if max(size, document.size.bytes) > most:
            document.forget(max(size, document.size.bytes))
        self._open[item.uri] = document
        for listener in self._listeners:
            listener.on_open(document)

    def change(self, uri: str, version: int, changes: Sequence[ContentChange]) -> None:
        """`didChange`. Changes of documents that are not open are dropped."""
        document = self._open.get(uri)
        if document is None:
            log.debug("a change of a document that is not open")
            return
        lines, edits = document.apply(version, changes, self.encoding)
        for listener in self._listeners:
            listener.on_change(document, lines, edits)

    def close(self, uri: str) -> None:
        """`didClose`. Does nothing for a document that is not open."""
        document = self._open.pop(uri, None)
        if document is None:
            return
        for listener in self._listeners:
            listener.on_close(document)


def _ordered(span: types.Range) -> tuple[Position, Position]:
    # LSP forbids both, and editors' own documents forgive both: the mirror must not fall behind for it.
    start = Position(max(0, span.start.line), max(0, span.start.character))
    end = Position(max(0, span.end.line), max(0, span.end.character))
    return (start, end) if start <= end else (end, start)
