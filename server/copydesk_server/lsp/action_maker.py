"""Code actions as this client can take them: with an edit, or with what asks for it later."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from copydesk.errors import CopydeskError
from copydesk.text.document import TextEdit
from copydesk_server.applicability import Applicability
from copydesk_server.lsp.capabilities import COMMANDS
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.listed_edit import listed_data
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_edits import UNSAFE, workspace_edit

log = logging.getLogger(__name__)

APPLY, FIX_ALL_COMMAND = COMMANDS


class ActionMaker:
    """Makes actions, each with our name behind its title."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def with_edit(
        self,
        document: OpenDocument,
        title: str,
        kind: str,
        edits: Sequence[TextEdit],
        applicability: Applicability = "safe",
        *,
        generated: bool = False,
    ) -> types.CodeAction | None:
        """An action that edits the document as it stands; None where the edits do not fit it. Where the client would not compare
        the version they are for, they are in its data (`listed_edit.py`). generated: a model wrote or chose them.
        """
        try:
            edit = self.edit(document, edits, applicability)
        except CopydeskError as error:
            log.error("the edit of an action does not fit: %s", error)
            return None
        action = types.CodeAction(f"{title} (copydesk)", kind=kind, edit=edit)
        if document.version < 1 and self._state.capabilities.resolves_edits:
            action.edit, action.data = None, listed_data(document, edits, applicability)
        action.tags = self.tags(generated=generated)
        return action

    def without_edit(
        self,
        title: str,
        kind: str,
        data: dict[str, Any],
        command: str = APPLY,
        *,
        generated: bool = True,
        origin: str | None = None,
    ) -> types.CodeAction:
        """An action whose edit is not there yet: a client that can resolves it, any other has us apply it.

        generated: a model will be asked for it, unless something else settles it. origin: the file that the action comes from.
        """
        shown = f"{title} (copydesk{f', from {origin}' if origin is not None else ''})"
        if self._state.capabilities.resolves_edits:
            action = types.CodeAction(shown, kind=kind, data=data)
        else:
            action = types.CodeAction(
                shown, kind=kind, command=types.Command(shown, command, arguments=[data])
            )
        action.tags = self.tags(generated=generated)
        return action

    def edit(
        self, document: OpenDocument, edits: Sequence[TextEdit], applicability: Applicability
    ) -> types.WorkspaceEdit:
        """The edit of an action. An unsafe one has the person asked, where the client does that. Raises EditError."""
        caution = UNSAFE if applicability == "unsafe" and self._state.capabilities.annotated_actions else None
        return workspace_edit(document, edits, self._state.encoding, caution)

    def tags(self, *, generated: bool) -> list[types.CodeActionTag] | None:
        """Of an edit, for clients that know them."""
        known = self._state.capabilities.action_tags
        return [types.CodeActionTag.LlmGenerated] if known and generated else None
