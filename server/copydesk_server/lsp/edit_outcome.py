"""What an edit task came to: edits for one version of a document, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lsprotocol import types

from copydesk.request import Range
from copydesk.text.document import Change, TextEdit
from copydesk_server.applicability import Applicability
from copydesk_server.engine_process.messages import EngineResult, Status
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.rebase import rebase

if TYPE_CHECKING:
    from copydesk_server.verification import Verdict


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """`edits` are for version `version`, within `scope`, in the client's encoding; empty unless `status` is edited.

    verdict: of the version that was verified; changes elsewhere do not affect it. "refused" and "unsure" go with the status
    refused. applicability: unsafe where the code may mean something else after it.
    result: what the engine returned, for version `result.version`, whose lines are `before`.
    """

    status: Status
    reason: str | None
    version: int
    edits: tuple[TextEdit, ...] = ()
    scope: tuple[Range, ...] = ()
    verdict: Verdict = "unchanged"
    checks: tuple[str, ...] = ()
    applicability: Applicability = "safe"
    result: EngineResult = field(default_factory=lambda: EngineResult("cancelled", None, 0))
    before: tuple[str, ...] | None = None

    def moved(self, version: int, changes: Sequence[Change]) -> EditOutcome | None:
        """The same for a later version; None where a change overlaps its scope."""
        there = rebase(self.edits, self.scope, changes)
        if there is None:
            return None
        return replace(self, version=version, edits=there.edits, scope=there.scope)

    def present(self, document: OpenDocument) -> EditOutcome | None:
        """The same for `document` as it stands; None where a change overlaps its scope, or was too long ago."""
        changes = document.changes_since(self.version)
        return self.moved(document.version, changes) if changes is not None else None


def explain(client: Client, outcome: EditOutcome) -> None:
    """Tell the person why there is nothing to apply. Shown each time: they wait for an answer."""
    reason = f": {outcome.reason}" if outcome.reason else ""
    if outcome.status == "failed":
        client.show_message(f"copydesk: the edit failed{reason}.")
    elif outcome.status != "edited":
        client.show_message(f"copydesk changed nothing{reason}.", types.MessageType.Info)
