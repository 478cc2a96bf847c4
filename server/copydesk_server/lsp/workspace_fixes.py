"""All fixes of one kind of finding in the files of the opened folders, as one edit that a person sees before it is applied.

No model is asked: what rules and ruff's own fixes answer, confirmed and safe (`kind_fixes.py`). Texts of open documents count as
they are open, saved or not; an answer that comes after one of them or one of the files has changed is none. In a folder that is
not trusted nothing is offered, and nothing runs.

A client that asks its person where an annotation says so shows the edit itself. For any other the server asks whether the fixes
are to be applied, after its answer: no request waits for a person.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular
from copydesk.request import Diagnostic
from copydesk.text.document import TextEdit, TextLines
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.errors import RuffError
from copydesk_server.lsp.applying import Applying
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.diagnostics import ClientDiagnostic
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import modified
from copydesk_server.lsp.edit_requests import OURS, EditRequests, finding_data, finding_of
from copydesk_server.lsp.explanation import explain
from copydesk_server.lsp.progress import Bar, ProgressBars
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.uris import uri_of
from copydesk_server.lsp.workspace_edits import check_edits, edit_of_files, reviewed
from copydesk_server.lsp.workspace_imports import WorkspaceImports

if TYPE_CHECKING:
    from copydesk_server.kind_fixes import FindingKind, KindFixes
    from copydesk_server.project_imports import Projects
    from copydesk_server.ruff import Ruff

KIND = "fixWorkspace"
"""What an action's data says it is."""
LANGUAGE = "python"
MOST_FILES = 200
"""So many files are changed at once at most: a person looks at each."""
_ENDINGS = (".py", ".pyi", ".pyw")
APPLY, LEAVE = "Apply", "Cancel"


@dataclass(frozen=True, slots=True)
class _File:
    """A text to look through: an open document's, or that of a file as it lies on disk. data: the file's bytes."""

    path: Path
    text: str
    document: OpenDocument | None = None
    version: int = 0
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class WorkspaceFix:
    """Edits of open documents and of files that are not open, and how many findings they fix."""

    label: str
    opened: tuple[tuple[OpenDocument, tuple[TextEdit, ...]], ...]
    closed: tuple[tuple[str, tuple[TextEdit, ...]], ...]
    count: int
    sources: tuple[_File, ...]

    @property
    def summary(self) -> str:
        """How much it changes, for a person."""
        files = len(self.opened) + len(self.closed)
        findings = "1 finding" if self.count == 1 else f"{self.count} findings"
        return f"fix {findings} ({self.label}) in {'1 file' if files == 1 else f'{files} files'}"


class WorkspaceFixes:
    """One at a time. find_ruff: called in a thread."""

    def __init__(
        self,
        state: SessionState,
        client: Client,
        tasks: BackgroundTasks,
        bars: ProgressBars,
        requests: EditRequests,
        imports: WorkspaceImports,
        applying: Applying,
        find_ruff: Callable[[], Ruff | None],
    ) -> None:
        self._state, self._client, self._tasks, self._bars = state, client, tasks, bars
        self._requests, self._imports, self._applying = requests, imports, applying
        self._find_ruff = find_ruff
        self._turn = asyncio.Lock()

    def offered(self, document: OpenDocument, finding: ClientDiagnostic) -> bool:
        """Whether the kind of a finding can be fixed in all files, and the client can show it to its person first."""
        from copydesk_server.kind_fixes import FindingKind

        capabilities = self._state.capabilities
        asks = capabilities.annotated_actions or (capabilities.shows_messages and capabilities.apply_edit)
        return (
            not self._state.untrusted
            and asks
            and capabilities.action_literals
            and document.language == LANGUAGE
            and self._imports.root(document) is not None
            and FindingKind.of(finding.diagnostic) is not None
        )

    def data(self, document: OpenDocument, finding: ClientDiagnostic) -> dict[str, Any]:
        """What an action carries."""
        return {
            OURS: KIND,
            "uri": document.uri,
            "version": document.version,
            "diagnostic": finding_data(finding),
        }

    async def resolve(self, data: Any) -> types.WorkspaceEdit | None:
        """The edit of an action, for the client's person to look at; None where they are asked otherwise, or there is nothing to
        fix. Raises JsonRpcInvalidParams, StoppedError.
        """
        found = await self._found(data, None)
        if found is None:
            return None
        if self._state.capabilities.annotated_actions:
            return self._edit(found)
        self._tasks.spawn(self._ask(found), "asking whether to fix all")
        return None

    async def command(self, data: Any, token: int | str | None) -> None:
        """For a client that cannot resolve actions. token: of its own progress bar. Raises as `resolve`."""
        found = await self._found(data, token)
        if found is None:
            return
        if self._state.capabilities.change_annotations:
            await self._apply(found, self._edit(found))
        else:
            self._tasks.spawn(self._ask(found), "asking whether to fix all")

    async def _ask(self, found: WorkspaceFix) -> None:
        if await self._client.choose(f"copydesk: {found.summary}?", (APPLY, LEAVE)) != APPLY:
            return
        if not await self._unchanged(found):
            self._client.show_message("copydesk: the files changed; nothing was applied.")
            return
        await self._apply(found, self._edit(found, review=False))

    async def _apply(self, found: WorkspaceFix, edit: types.WorkspaceEdit) -> None:
        await self._applying.apply_files(found.opened, edit, f"copydesk: {found.summary}")

    def _edit(self, found: WorkspaceFix, *, review: bool = True) -> types.WorkspaceEdit:
        edit = edit_of_files(found.opened, found.closed, self._state.encoding, document_changes=True)
        return reviewed(edit, f"Fix all: {found.label}") if review else edit

    async def _found(self, data: Any, token: int | str | None) -> WorkspaceFix | None:
        """None where nothing can be fixed: the person is told why."""
        try:
            diagnostic = finding_of(data["diagnostic"])
            uri, version = str(data["uri"]), int(data["version"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise JsonRpcInvalidParams("the data is not what came with the action") from error
        document, _ = self._requests.document(uri, version)
        task = asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            task.cancel()

        reason: str | None
        bar = self._bars.start("copydesk: fixing all in the workspace", token=token, on_cancel=cancel)
        try:
            async with self._turn:
                found = await self._fix(document, diagnostic, bar)
            reason = "no fix that is confirmed and safe, and that no model made"
        except RuffError as error:
            found, reason = None, str(error)
        finally:
            bar.end()
        if found is None:
            explain(self._client, EditOutcome("unchanged", reason, document.version))
        return found

    async def _fix(self, document: OpenDocument, diagnostic: Diagnostic, bar: Bar) -> WorkspaceFix | None:
        from copydesk_server.kind_fixes import FindingKind
        from copydesk_server.project_imports import Projects

        kind = FindingKind.of(diagnostic)
        if kind is None or self._state.untrusted or self._imports.root(document) is None:
            raise JsonRpcInvalidParams("this is not offered here")
        ruff = await asyncio.to_thread(self._find_ruff)
        if ruff is None:
            raise RuffError("there is no ruff to run")
        bar.report("looking for findings")
        paths, projects = await self._paths(kind, ruff), Projects()
        changed: list[tuple[_File, KindFixes]] = []
        for number, path in enumerate(paths):
            bar.report(f"{number} of {len(paths)} files", 100 * number // len(paths))
            file = await asyncio.to_thread(self._read, path)
            fixes = await self._fix_file(file, kind, ruff, projects) if file is not None else None
            if file is not None and fixes is not None:
                changed.append((file, fixes))
                if len(changed) == MOST_FILES:
                    break
        if not changed:
            return None
        found = WorkspaceFix(
            kind.label,
            tuple((f.document, fixes.edits) for f, fixes in changed if f.document is not None),
            tuple((uri_of(f.path), fixes.edits) for f, fixes in changed if f.document is None),
            sum(fixes.count for _, fixes in changed),
            tuple(file for file, _ in changed),
        )
        if not await self._unchanged(found):
            raise modified("a file has changed meanwhile")
        return found

    async def _paths(self, kind: FindingKind, ruff: Ruff) -> list[Path]:
        """The files with such findings, in order: those that ruff finds in the opened folders, and open documents, which may
        differ from their files. Raises RuffError.
        """
        roots = self._state.outer_folders
        seconds = self._state.settings.of(None).request_timeout
        whole = replace(ruff, most_bytes=None)
        said = await asyncio.to_thread(whole.survey, roots, select=",".join(kind.rules), timeout=seconds)
        paths = {path for path, _ in said if path.name.endswith(_ENDINGS)}
        paths |= {path for path, document in self._opened().items() if document.language == LANGUAGE}
        return sorted(path for path in paths if any(path.is_relative_to(root) for root in roots))

    def _opened(self) -> dict[Path, OpenDocument]:
        return {Path(os.path.abspath(one.path)): one for one in self._state.documents if one.path is not None}

    def _read(self, path: Path) -> _File | None:
        """None for what is not to be edited: links, what is too large, what is not in UTF-8."""
        document = self._opened().get(path)
        most = self._state.settings.of(uri_of(path)).max_document_bytes
        if document is not None:
            if document.forgotten or document.size.bytes > most:
                return None
            return _File(path, document.lines.text, document, document.version)
        try:
            data = read_regular(path, most, links=False)
            return _File(path, data.decode("utf-8").removeprefix("\ufeff"), data=data)
        except (OSError, FileRefusedError, UnicodeDecodeError):
            return None

    async def _fix_file(
        self, file: _File, kind: FindingKind, ruff: Ruff, projects: Projects
    ) -> KindFixes | None:
        """Raises RuffError."""
        settings = self._state.settings.of(uri_of(file.path))
        root = min(
            (one for one in self._state.outer_folders if file.path.is_relative_to(one)),
            key=lambda one: len(one.parts),
        )

        def inform(findings: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
            return self._imports.informed(findings, root, file.path, file.text, read=True)

        def fix() -> KindFixes | None:
            from copydesk_server.kind_fixes import fix_kind
            from copydesk_server.ruff import APPLICABLE

            return fix_kind(
                file.text,
                file.path,
                kind,
                ruff,
                self._state.encoding,
                fixes=APPLICABLE[settings.linter_fixes],
                within=settings.scope_policy == "lines",
                inform=inform,
                projects=projects,
            )

        fixes = await asyncio.to_thread(fix)
        if fixes is not None:
            check_edits(TextLines(file.text), fixes.edits, self._state.encoding)
        return fixes

    async def _unchanged(self, found: WorkspaceFix) -> bool:
        """Whether every text is the one that its edits are for, and is open or not as it was."""
        opened = self._opened()
        for file in found.sources:
            if opened.get(file.path) is not file.document:
                return False
            if file.document is not None and file.document.version != file.version:
                return False
        closed = [file for file in found.sources if file.document is None]
        return await asyncio.to_thread(lambda: all(_as_read(file) for file in closed))


def _as_read(file: _File) -> bool:
    try:
        return read_regular(file.path, len(file.data), links=False) == file.data
    except (OSError, FileRefusedError):
        return False
