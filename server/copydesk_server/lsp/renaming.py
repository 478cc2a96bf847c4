"""Renames in the open folders: asked of a process of their own, answered as one edit of all files.

Texts of open documents count as they are open, saved or not. An answer that comes after one of them has changed is none.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from copydesk.errors import CopydeskError
from copydesk.request import Range
from copydesk.text.document import Position, TextEdit
from copydesk_server.errors import RenameRefusedError
from copydesk_server.lsp import jsonrpc
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import StoppedError, modified
from copydesk_server.lsp.progress import ProgressBars
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.uris import uri_of
from copydesk_server.lsp.workspace_edits import edit_of_files, lsp_range

if TYPE_CHECKING:
    from copydesk_server.renaming.request import RenameAnswer, RenameRequest

PYTHON = "python"
_MAY_RENAME = re.compile(r"\b(?:re)?nam|\bcall|^s/", re.IGNORECASE)
"""Words without which no instruction is read as a rename: only with them the reader of instructions is imported."""


class Renaming:
    """One at a time: each is a process. ask: in place of that process, for tests."""

    def __init__(
        self,
        state: SessionState,
        bars: ProgressBars,
        ask: Callable[[RenameRequest], Awaitable[RenameAnswer]] | None = None,
    ) -> None:
        self._state, self._bars, self._ask = state, bars, ask
        self._turn = asyncio.Lock()

    async def prepare(self, uri: str, position: types.Position) -> types.PrepareRenamePlaceholder:
        """The name at a place. Raises JsonRpcException with the reason where there is none that could be renamed."""
        document = self._document(uri)
        line, column = self._locate(document, position)
        text, shown = document.lines.text, document.name

        def find() -> tuple[int, str]:
            # Not before it is needed: the parsers take longer to import than `initialize` may take.
            from copydesk_server.renaming.target import renamable_at

            return renamable_at(text, shown, line, column)

        try:
            start, name = await asyncio.to_thread(find)
        except RenameRefusedError as error:
            raise _refused(error) from None
        encoding, lines = self._state.encoding, document.lines
        if lines.text != text:
            raise modified()
        begin, end = (lines.position(line, at, encoding) for at in (start, start + len(name)))
        return types.PrepareRenamePlaceholder(lsp_range(begin, end), name)

    async def rename(
        self, uri: str, position: types.Position, new: str, token: int | str | None = None
    ) -> types.WorkspaceEdit:
        """The edit of all files. Raises JsonRpcException: with the reason where it is refused, or where a text changed
        meanwhile.
        """
        document = self._document(uri)
        line, column = self._locate(document, position)
        task = asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            task.cancel()

        bar = (
            self._bars.start("copydesk: renaming", token=token, on_cancel=cancel)
            if token is not None
            else None
        )
        try:
            async with self._turn:
                return await self._rename(document, line, column, new)
        except CopydeskError as error:
            raise _refused(error) from None
        finally:
            if bar is not None:
                bar.end()

    async def _rename(self, document: OpenDocument, line: int, column: int, new: str) -> types.WorkspaceEdit:
        opened, answer = await self._answer(document, line, column, new)
        known = {_key(one): one for one in opened}
        changed: list[tuple[OpenDocument, list[TextEdit]]] = []
        closed: list[tuple[str, list[TextEdit]]] = []
        for file in answer.files:
            edits = [
                TextEdit(Position(row, start), Position(row, end), answer.new)
                for row, start, end in file.places
            ]
            if file.path in known:
                changed.append((known[file.path], edits))
            else:
                closed.append((uri_of(Path(file.path)), edits))
        return edit_of_files(
            changed,
            closed,
            self._state.encoding,
            document_changes=self._state.capabilities.document_changes,
        )

    async def _answer(
        self, document: OpenDocument, line: int, column: int, new: str
    ) -> tuple[list[OpenDocument], RenameAnswer]:
        """Also the documents whose texts counted. Raises StoppedError where one of them has changed meanwhile."""
        # Not before it is needed, as above.
        from copydesk_server.renaming.limits import LIMITS
        from copydesk_server.renaming.process import cache_folder, rename_apart
        from copydesk_server.renaming.request import RenameRequest

        roots = tuple(map(str, self._state.outer_folders))
        opened = self._opened(document, roots)
        seconds = self._state.settings.of(None).request_timeout
        request = RenameRequest(
            roots,
            {_key(one): one.lines.text for one in opened},
            _key(document),
            line,
            column,
            new,
            encoding=self._state.encoding,
            cache_folder=cache_folder(),
            limits=replace(LIMITS, seconds=min(LIMITS.seconds, seconds)),
        )
        versions = self._versions()
        answer = await (self._ask or rename_apart)(request)
        if self._versions() != versions:
            raise modified("a document has changed meanwhile")
        return opened, answer

    async def refusal(self, document: OpenDocument, lines: Range, instruction: str) -> str | None:
        """Why an instruction is not followed in these lines alone: it renames what is used elsewhere, or may be."""
        if document.language != PYTHON or document.forgotten or not _MAY_RENAME.search(instruction):
            return None
        text = document.lines.text

        def find() -> tuple[int, int, str] | None:
            # Not before it is needed, as above.
            from copydesk_server.renaming.instructions import seen_elsewhere, wished_rename

            wish = wished_rename(instruction)
            place = seen_elsewhere(text, wish[0], lines) if wish is not None else None
            return (*place, wish[1]) if place is not None and wish is not None else None

        try:
            found = await asyncio.to_thread(find)
            if found is not None:
                from copydesk_server.renaming.instructions import check_inside

                async with self._turn:
                    _, answer = await self._answer(document, *found)
                # Another way of counting characters changes no line.
                check_inside(answer, _key(document), lines)
        except (CopydeskError, JsonRpcException) as error:
            if isinstance(error, StoppedError):
                raise
            return str(error)
        return None

    def _document(self, uri: str) -> OpenDocument:
        document = self._state.documents.get(uri)
        if document is None:
            raise _refused("the document is not open")
        if document.language != PYTHON:
            raise _refused("copydesk renames in Python alone")
        most = self._state.settings.of(uri).max_document_bytes
        if document.forgotten or document.size.bytes > most:
            raise _refused(f"it has more than {most} bytes (the setting `maxDocumentBytes`)")
        return document

    def _locate(self, document: OpenDocument, position: types.Position) -> tuple[int, int]:
        place = Position(max(0, position.line), max(0, position.character))
        return document.lines.locate(place, self._state.encoding)

    def _opened(self, document: OpenDocument, roots: tuple[str, ...]) -> list[OpenDocument]:
        """The documents whose texts count: Python, in an opened folder, and the one that is asked about."""
        found = [document]
        for other in self._state.documents:
            inside = other.path is not None and any(_holds(root, str(other.path)) for root in roots)
            if other is not document and other.language == PYTHON and inside:
                if other.forgotten:
                    raise _refused(f"{other.name} is open and too large to be looked through")
                found.append(other)
        return found

    def _versions(self) -> dict[int, int]:
        return {one.id: one.version for one in self._state.documents if one.language == PYTHON}


def _key(document: OpenDocument) -> str:
    return os.path.abspath(document.path) if document.path is not None else document.uri


def _holds(root: str, path: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)


def _refused(reason: CopydeskError | str) -> JsonRpcException:
    return JsonRpcException(f"copydesk renames nothing: {reason}", jsonrpc.REQUEST_FAILED)
