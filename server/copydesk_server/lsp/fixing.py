"""From what is asked to an outcome: at once where it was computed ahead, else by the engine; one fix, or all of a document.

Knows nothing of how it was asked: light bulb, command and `copydesk/edit` all come through here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from copydesk.request import Diagnostic, Range
from copydesk_server.engine_process.jobs import HunkEvent, Retracted
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_requests import Wanted, edit_request
from copydesk_server.lsp.rebase import overlap
from copydesk_server.lsp.tickets import Ask, Outcome, StoppedError, cancelled, modified
from copydesk_server.lsp.workspace_edits import text_after

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

log = logging.getLogger(__name__)

FIXES = 64
"""So many findings are fixed at once at most."""


async def obtain(
    server: CopydeskServer,
    wanted: Wanted,
    *,
    token: int | str | None = None,
    on_hunk: Callable[[int, HunkEvent | Retracted], None] | None = None,
) -> Outcome:
    """The outcome, for the document as it stands when this returns. Raises StoppedError."""
    if wanted.kind == "fixAll":
        return await _fix_all(server, wanted.document, token)
    if wanted.diagnostic is not None:
        known = server.ahead.lookup(wanted.document, wanted.diagnostic)
        if known is not None:
            server.programs.made(wanted.document, known)
            return known
    request = edit_request(wanted, server.settings.of(wanted.document.uri))
    title = "copydesk: fixing" if wanted.diagnostic is not None else "copydesk: editing"
    outcome = await server.jobs.run(
        Ask(wanted.document, request, wanted.lines, on_hunk=on_hunk, title=title, token=token)
    )
    server.programs.made(wanted.document, outcome)
    return outcome


def explain(server: CopydeskServer, outcome: Outcome) -> None:
    """Tell the person why there is nothing to apply."""
    if outcome.status == "edited":
        return
    reason = f": {outcome.reason}" if outcome.reason else ""
    if outcome.status == "failed":
        # As often as somebody asks: each time they wait for an answer.
        server.window_show_message(
            types.ShowMessageParams(types.MessageType.Warning, f"copydesk could not do it{reason}.")
        )
    else:
        server.window_show_message(
            types.ShowMessageParams(types.MessageType.Info, f"copydesk changed nothing{reason}.")
        )


async def _fix_all(server: CopydeskServer, document: OpenDocument, token: int | str | None) -> Outcome:
    """All verified fixes of what is known of a document, together. Nobody looks at each, so what is not verified is left out."""
    findings = server.found.known(document)[:FIXES]
    group = object()
    one_by_one = [
        asyncio.ensure_future(_fix_one(server, document, finding.diagnostic, finding.lines, group))
        for finding in findings
    ]
    together = asyncio.gather(*one_by_one)

    def stop() -> None:
        together.cancel()

    bar = server.bars.start("copydesk: fixing all", token=token, on_cancel=stop)
    try:
        await asyncio.wait((together,))
        if together.cancelled():
            raise cancelled()
        return await _join(server, document, [fix for fix in together.result() if fix is not None])
    finally:
        together.cancel()
        bar.end()


async def _fix_one(
    server: CopydeskServer, document: OpenDocument, diagnostic: Diagnostic, lines: Range, group: object
) -> tuple[Diagnostic, Outcome] | None:
    outcome = server.ahead.lookup(document, diagnostic)
    if outcome is None:
        request = edit_request(Wanted("fix", document, lines, diagnostic), server.settings.of(document.uri))
        try:
            outcome = await server.jobs.run(Ask(document, request, lines, group=group))
        except StoppedError as error:
            log.debug("one of many: %s", error.message)
            return None
    return (diagnostic, outcome) if outcome.status == "edited" and outcome.verdict == "verified" else None


async def _join(
    server: CopydeskServer, document: OpenDocument, fixes: Sequence[tuple[Diagnostic, Outcome]]
) -> Outcome:
    """One outcome of several, made for different versions; judged once more as a whole. Of two for the same lines the first
    counts.
    """
    chosen: list[tuple[Diagnostic, Outcome]] = []
    for diagnostic, outcome in fixes:
        now = _present(document, outcome)
        if now is not None and not any(
            overlap(mine, other) for mine in now.scope for _, before in chosen for other in before.scope
        ):
            chosen.append((diagnostic, now))
    if not chosen:
        return Outcome("unchanged", "nothing that could be verified", document.version)
    edits = sorted((edit for _, now in chosen for edit in now.edits), key=lambda edit: (edit.start, edit.end))
    scope = tuple(sorted(lines for _, now in chosen for lines in now.scope))
    whole = replace(chosen[0][1], edits=tuple(edits), scope=scope)
    if len(chosen) > 1:
        said = await server.jobs.judge(
            document.lines.text,
            text_after(document.lines, edits, server.encoding),
            [],
            language=document.language,
            path=document.path,
        )
        if said.verdict != "verified":
            return Outcome("refused", said.reason, document.version, verdict="refused")
    present = _present(document, whole)
    if present is None:
        raise modified()
    return present


def _present(document: OpenDocument, outcome: Outcome) -> Outcome | None:
    """`outcome` for the document as it stands; None where it has met a change."""
    changes = document.changes_since(outcome.version)
    return outcome.moved(document.version, changes) if changes is not None else None
