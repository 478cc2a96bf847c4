"""`copydesk/edit`: one edit for a client of ours, shown as it comes about. ARCHITECTURE.md has the messages.

`copydesk/hunk` goes out the moment the engine knows a hunk to be final, in coordinates of the version it is for: a preview, never
to be applied. `copydesk/retract` takes back what was shown. The answer has the whole edit, for the version it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from copydesk_server.engine_process.jobs import HunkEvent, Retracted
from copydesk_server.lsp.capabilities import dig
from copydesk_server.lsp.diagnostics import engine_diagnostic, moved_shown, structure
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_requests import Wanted, check_instruction, want
from copydesk_server.lsp.fixing import obtain
from copydesk_server.lsp.tickets import Outcome, modified
from copydesk_server.lsp.workspace_edits import lines_of_range, text_document_edit, workspace_edit

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

EDIT = "copydesk/edit"
HUNK = "copydesk/hunk"
RETRACT = "copydesk/retract"


def register(server: CopydeskServer) -> None:
    """Streams only to a client that names a token."""

    @server.feature(EDIT)
    async def edit(params: Any) -> dict[str, Any]:
        wanted = _wanted(server, params)
        token, bar = dig(params, "token"), dig(params, "workDoneToken")
        preview = _Preview(server, wanted.document.uri, token) if token is not None else None
        applicable = False
        try:
            outcome = await obtain(
                server, wanted, token=bar, on_hunk=preview.show if preview is not None else None
            )
            answer = _answer(server, wanted, outcome)
            applicable = outcome.status == "edited"
        finally:
            if preview is not None and not applicable:
                preview.retract()
        return answer


class _Preview:
    """What a client was shown of one edit."""

    def __init__(self, server: CopydeskServer, uri: str, token: Any) -> None:
        self._server, self._uri, self._token = server, uri, token
        self._seq = 0
        self._shown = False

    def show(self, version: int, event: HunkEvent | Retracted) -> None:
        if isinstance(event, Retracted):
            self.retract()
            return
        self._shown = True
        hunk = text_document_edit(self._uri, version, event.edits)
        message = {"token": self._token, "seq": self._seq, "baseVersion": version, "edit": hunk}
        self._server.protocol.notify(HUNK, message)
        self._seq += 1

    def retract(self) -> None:
        """Nothing where nothing is shown."""
        if self._shown:
            self._shown = False
            self._server.protocol.notify(RETRACT, {"token": self._token})


def _wanted(server: CopydeskServer, params: Any) -> Wanted:
    """Raises JsonRpcInvalidParams, or StoppedError for a version that cannot be reached from here."""
    uri, version = dig(params, "textDocument", "uri"), dig(params, "textDocument", "version")
    instruction, found = dig(params, "instruction"), dig(params, "diagnostic")
    if not isinstance(uri, str) or not isinstance(version, int) or (instruction is None) == (found is None):
        raise JsonRpcInvalidParams("needs textDocument with its version, and an instruction or a diagnostic")
    document = server.documents.get(uri)
    if document is None:
        raise modified("the document is not open")
    if document.changes_since(version) is None:
        raise modified("that version is not known")
    if found is not None:
        return _fix(server, document, version, structure(server, found, types.Diagnostic))
    instruction = check_instruction(instruction)
    chosen = structure(server, dig(params, "range"), types.Range)
    return want(document, version, "rewrite", lines_of_range(document.lines, chosen), None, instruction)


def _fix(server: CopydeskServer, document: OpenDocument, version: int, shown: types.Diagnostic) -> Wanted:
    # Only lines move from version to version, and a diagnostic whose own lines have changed is refused: so its columns can be
    # read against the text of now.
    there = moved_shown(shown, document.changes_since(version) or [])
    if there is None:
        raise modified()
    diagnostic = engine_diagnostic(document.lines, there, server.encoding)
    (diagnostic,) = server.found.with_fixes(document, [diagnostic])
    return want(document, document.version, "fix", diagnostic.lines, diagnostic, None)


def _answer(server: CopydeskServer, wanted: Wanted, outcome: Outcome) -> dict[str, Any]:
    result = outcome.result
    edited = outcome.status == "edited"
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "version": outcome.version,
        "edit": workspace_edit(wanted.document, outcome.edits, server.encoding) if edited else None,
        "program": result.program,
        "baseVersion": result.version,
        "verdict": outcome.verdict,
        "checks": list(outcome.checks),
        "counts": result.counts,
        "ms": result.ms,
        "exact": result.exact,
    }
