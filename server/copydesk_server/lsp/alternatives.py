"""Where the model was unsure, the person chooses: by their client's own means, or in a question of the server's.

A client that has means of its own says so (`initializationOptions.copydesk.alternatives`) and gets the alternatives as they are
described here. Any other is sent `window/showMessageRequest`, with their titles as buttons, and then the edit that was chosen. No
request waits for a person: a question may stand for as long as they like, and an edit that comes too late is none.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from copydesk.text.document import Encoding, Position
from copydesk.text.titles import numbered, which_was_meant
from copydesk_server.engine_process.edit_outcome import EditAlternative, EditOutcome
from copydesk_server.lsp.applying import Applying
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.programs import Programs
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_edits import lsp_range, workspace_edit

CHOOSE = "copydesk.chooseAlternative"
"""The command of a client that has means of its own; it takes what `Alternatives.command` puts into its argument."""
CHANGED = "copydesk: the code changed; nothing was applied."


class Alternatives:
    """Hands out the alternatives of unsure outcomes, all of them for documents as they stand."""

    def __init__(
        self,
        state: SessionState,
        client: Client,
        tasks: BackgroundTasks,
        programs: Programs,
        applying: Applying,
    ) -> None:
        self._state, self._client, self._tasks = state, client, tasks
        self._programs, self._applying = programs, applying

    @property
    def clients_own(self) -> bool:
        """Whether the client has the person choose by itself."""
        return self._state.capabilities.chooses_alternatives

    def described(self, document: OpenDocument, outcome: EditOutcome) -> list[dict[str, Any]]:
        """For a client that has the person choose by itself; whichever of them it applies is the last program then."""
        choices = _choices(outcome)
        if choices:
            self._programs.asked(document, [outcome.taken(one) for one in choices])
        return [_described(document, one, self._state.encoding) for one in outcome.alternatives]

    def command(self, document: OpenDocument, outcome: EditOutcome) -> types.Command | None:
        """What a code action that came to this does in a client that has the person choose by itself. None in any other client,
        and where there is nothing to choose from.
        """
        if not self.clients_own or not _choices(outcome):
            return None
        first, last = outcome.scope[0][0], outcome.scope[-1][1]
        argument = {
            "textDocument": {"uri": document.uri, "version": outcome.version},
            "range": lsp_range(Position(first - 1, 0), Position(last, 0)),
            "alternatives": self.described(document, outcome),
        }
        return types.Command("Choose an edit", CHOOSE, arguments=[argument])

    def ask(self, document: OpenDocument, outcome: EditOutcome, *, refactoring: bool) -> bool:
        """Ask the person which edit they meant, and have it applied. refactoring: as in `Applying.apply`. Returns at once:
        whether there was anything to ask.
        """
        choices = _choices(outcome)
        if not choices or not self._state.capabilities.apply_edit:
            return False
        asking = self._ask(document, outcome, choices, refactoring=refactoring)
        self._tasks.spawn(asking, "asking for the edit that was meant")
        return True

    async def _ask(
        self,
        document: OpenDocument,
        outcome: EditOutcome,
        choices: list[EditAlternative],
        *,
        refactoring: bool,
    ) -> None:
        titles = numbered((one.title, one.probability) for one in choices)
        chosen = await self._client.choose(f"copydesk: {which_was_meant(titles)}", titles)
        if chosen is None:
            return
        if self._state.documents.get(document.uri) is not document or document.version != outcome.version:
            self._client.show_message(CHANGED)
            return
        taken = outcome.taken(choices[titles.index(chosen)])
        self._programs.made(document, taken)
        await self._applying.apply(document, taken, refactoring=refactoring)


def _choices(outcome: EditOutcome) -> list[EditAlternative]:
    """The alternatives that there is something to apply of."""
    return [one for one in outcome.alternatives if one.edits]


def _described(document: OpenDocument, one: EditAlternative, encoding: Encoding) -> dict[str, Any]:
    return {
        "title": one.title,
        "probability": one.probability,
        "edit": workspace_edit(document, one.edits, encoding) if one.edits else None,
        "program": one.program,
        "verdict": one.verdict,
        "applicability": one.applicability,
        "reason": one.reason,
        "checks": list(one.checked),
    }
