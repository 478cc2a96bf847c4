"""`copydesk/edit`: one edit for a client of ours, shown as it comes about. PROTOCOL.md has the messages.

An unsure answer has alternatives for a client that has its person choose among them; any other client is sent the question. A
request that names `candidates` is answered with so many edits as alternatives, whatever the client.

`copydesk/hunk` goes out the moment the engine knows a hunk to be final, in coordinates of the version it is for: a preview, never
to be applied. `copydesk/retract` takes back what was shown. The answer has the whole edit, for the version it names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from copydesk.text.document import Encoding
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.jobs import HunkEvent, Retracted
from copydesk_server.lsp.alternatives import Alternatives
from copydesk_server.lsp.capabilities import dig
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.diagnostics import DiagnosticStore, engine_diagnostic, moved_shown
from copydesk_server.lsp.edit_errors import modified
from copydesk_server.lsp.edit_provider import EditProvider
from copydesk_server.lsp.edit_requests import EditRequests, check_instruction
from copydesk_server.lsp.edit_task import EditTask
from copydesk_server.lsp.message_types import Structure
from copydesk_server.lsp.methods import HUNK, RETRACT
from copydesk_server.lsp.workspace_edits import lines_of_range, text_document_edit, workspace_edit

MOST = 16
"""Candidates of one request, as of the setting."""


def copydesk_edit(
    structure: Structure,
    encoding: Encoding,
    client: Client,
    diagnostics: DiagnosticStore,
    requests: EditRequests,
    edits: EditProvider,
    alternatives: Alternatives,
) -> Callable[[Any], Awaitable[dict[str, Any]]]:
    """Streams only to a client that names a token."""

    async def handle(params: Any) -> dict[str, Any]:
        task = _task(structure, encoding, diagnostics, requests, params)
        candidates = _candidates(params)
        if candidates is not None:
            task.request = replace(task.request, candidates=candidates)
        task.token = dig(params, "workDoneToken")
        token = dig(params, "token")
        preview = _Preview(client, task.document.uri, token) if token is not None else None
        if preview is not None:
            task.on_hunk = preview.show
        applicable = False
        try:
            outcome = await edits.obtain(task)
            answer = _answer(task, outcome, encoding)
            if alternatives.clients_own or dig(params, "candidates") is not None:
                answer["alternatives"] = alternatives.described(task.document, outcome)
            elif outcome.status != "edited":
                alternatives.ask(task.document, outcome, refactoring=True)
            applicable = outcome.status == "edited"
        finally:
            if preview is not None and not applicable:
                preview.retract()
        return answer

    return handle


class _Preview:
    """What a client was shown of one edit."""

    def __init__(self, client: Client, uri: str, token: Any) -> None:
        self._client, self._uri, self._token = client, uri, token
        self._seq = 0
        self._shown = False

    def show(self, version: int, event: HunkEvent | Retracted) -> None:
        if isinstance(event, Retracted):
            self.retract()
            return
        self._shown = True
        hunk = text_document_edit(self._uri, version, event.edits)
        message = {"token": self._token, "seq": self._seq, "baseVersion": version, "edit": hunk}
        self._client.notify(HUNK, message)
        self._seq += 1

    def retract(self) -> None:
        """Nothing where nothing is shown."""
        if self._shown:
            self._shown = False
            self._client.notify(RETRACT, {"token": self._token})


def _task(
    structure: Structure,
    encoding: Encoding,
    diagnostics: DiagnosticStore,
    requests: EditRequests,
    params: Any,
) -> EditTask:
    """Raises JsonRpcInvalidParams, or StoppedError for a version that cannot be reached from here."""
    uri, version = dig(params, "textDocument", "uri"), dig(params, "textDocument", "version")
    instruction, found = dig(params, "instruction"), dig(params, "diagnostic")
    if not isinstance(uri, str) or not isinstance(version, int) or (instruction is None) == (found is None):
        raise JsonRpcInvalidParams("needs textDocument with its version, and an instruction or a diagnostic")
    document, changes = requests.document(uri, version)
    if found is None:
        instruction = check_instruction(instruction)
        chosen = structure(dig(params, "range"), types.Range)
        return requests.rewrite(document, lines_of_range(document.lines, chosen), changes, instruction)
    # Only lines move from version to version, and a diagnostic whose own lines have changed is refused: so its columns can be
    # read against the text of now.
    there = moved_shown(structure(found, types.Diagnostic), changes)
    if there is None:
        raise modified()
    diagnostic = engine_diagnostic(document.lines, there, encoding)
    (diagnostic,) = diagnostics.with_fixes(document, [diagnostic])
    return requests.fix(document, diagnostic)


def _candidates(params: Any) -> int | None:
    """How many edits the answer names; None: as many as the setting says. Raises JsonRpcInvalidParams."""
    found = dig(params, "candidates")
    if found is not None and (
        not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= MOST
    ):
        raise JsonRpcInvalidParams(f"candidates is a number from 1 to {MOST}")
    return found


def _answer(task: EditTask, outcome: EditOutcome, encoding: Encoding) -> dict[str, Any]:
    edited = outcome.status == "edited"
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "version": outcome.version,
        "edit": workspace_edit(task.document, outcome.edits, encoding) if edited else None,
        "program": outcome.program,
        "baseVersion": outcome.base_version,
        "verdict": outcome.verdict,
        "applicability": outcome.applicability,
        "checks": list(outcome.checked),
        "counts": outcome.counts,
        "ms": outcome.ms,
        "exact": outcome.exact,
        "law": outcome.law,
        "confidence": outcome.confidence,
        "alternatives": [],
    }
