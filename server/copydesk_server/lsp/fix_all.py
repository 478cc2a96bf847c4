"""All fixes of a document at once, or those of one kind: of every known finding whose fix is confirmed and safe, and neither
written nor chosen by a model.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from copydesk.request import Diagnostic
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.diagnostics import DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import StoppedError, cancelled, modified
from copydesk_server.lsp.edit_requests import EditRequests
from copydesk_server.lsp.edit_service import EditService
from copydesk_server.lsp.edit_task import EditTask
from copydesk_server.lsp.prefetch import Prefetch
from copydesk_server.lsp.progress import ProgressBars
from copydesk_server.lsp.rebase import move_outcome, overlap
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.verification import Verify
from copydesk_server.lsp.workspace_edits import text_after

log = logging.getLogger(__name__)


class FixAll:
    """Runs one task a finding, and joins what is confirmed, safe and nobody's choice: nobody looks at each, so the rest is left
    out.
    """

    def __init__(
        self,
        state: SessionState,
        bars: ProgressBars,
        diagnostics: DiagnosticStore,
        requests: EditRequests,
        edits: EditService,
        prefetch: Prefetch,
        verify: Verify,
    ) -> None:
        self._state, self._bars, self._diagnostics, self._requests = state, bars, diagnostics, requests
        self._edits, self._prefetch, self._verify = edits, prefetch, verify

    async def run(self, task: EditTask) -> EditOutcome:
        """One outcome for the document as it stands when this returns. Raises StoppedError."""
        document = task.document
        # Not before it is needed: `initialize` has no time for imports.
        from copydesk_server.kind_fixes import MOST_FIXES, kind_label

        findings = self._diagnostics.known(document)
        if task.diagnostic is not None:
            label = kind_label(task.diagnostic)
            findings = [finding for finding in findings if kind_label(finding.diagnostic) == label]
        group = object()
        together = asyncio.gather(
            *(asyncio.ensure_future(self._fix(document, f.diagnostic, group)) for f in findings[:MOST_FIXES])
        )

        def stop() -> None:
            together.cancel()

        bar = self._bars.start("copydesk: fixing all", token=task.token, on_cancel=stop)
        try:
            await asyncio.wait((together,))
            if together.cancelled():
                raise cancelled()
            return await self._join(document, [fix for fix in together.result() if fix is not None])
        finally:
            together.cancel()
            bar.end()

    async def _fix(self, document: OpenDocument, diagnostic: Diagnostic, group: object) -> EditOutcome | None:
        outcome = self._prefetch.lookup(document, diagnostic)
        if outcome is None:
            try:
                outcome = await self._edits.run(self._requests.fix(document, diagnostic, group=group))
            except StoppedError as error:
                log.debug("one of many: %s", error.message)
                return None
        wanted = outcome.status == "edited" and outcome.verdict == "confirmed" and not outcome.by_model
        return outcome if wanted and outcome.applicability == "safe" else None

    async def _join(self, document: OpenDocument, fixes: Sequence[EditOutcome]) -> EditOutcome:
        """One outcome of several, made for different versions; verified once more as a whole. Of two for the same lines the first
        counts.
        """
        chosen: list[EditOutcome] = []
        for outcome in fixes:
            now = _present(outcome, document)
            if now is not None and not any(
                overlap(mine, other) for mine in now.scope for before in chosen for other in before.scope
            ):
                chosen.append(now)
        if not chosen:
            return EditOutcome(
                "unchanged", "no fix that is confirmed and safe, and that no model made", document.version
            )
        edits = sorted(
            (edit for now in chosen for edit in now.edits), key=lambda edit: (edit.start, edit.end)
        )
        scope = tuple(sorted(lines for now in chosen for lines in now.scope))
        whole = replace(chosen[0], edits=tuple(edits), scope=scope)
        if len(chosen) > 1:
            said = await self._verify(
                document.lines.text,
                text_after(document.lines, edits, self._state.encoding),
                [],
                language=document.language,
                path=document.path,
            )
            if said.verdict == "refused" or said.reason is not None:
                return EditOutcome("refused", said.reason, document.version, verdict="refused")
        present = _present(whole, document)
        if present is None:
            raise modified()
        return present


def _present(outcome: EditOutcome, document: OpenDocument) -> EditOutcome | None:
    """The same for `document` as it stands; None where a change overlaps its scope, or was too long ago."""
    changes = document.changes_since(outcome.version)
    return move_outcome(outcome, document.version, changes) if changes is not None else None
