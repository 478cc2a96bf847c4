"""`codeAction/resolve`: the edit of the action the person has chosen. Nothing streams: the answer is the edit or none.

The edit is for the document's version as it is answered. An action that comes to nothing comes back without edit, and the person
reads why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from lsprotocol import types

from copydesk_server.lsp import edit_requests
from copydesk_server.lsp.fixing import explain, obtain
from copydesk_server.lsp.workspace_edits import workspace_edit

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer


def register(server: CopydeskServer) -> None:
    """Answers -32801 where the text has changed just there: the client asks for actions anew, or forgets about it."""

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        if action.edit is not None or not edit_requests.is_ours(action.data):
            return action
        wanted = edit_requests.read(server, action.data)
        outcome = await obtain(server, wanted)
        if outcome.status != "edited":
            explain(server, outcome)
            return action
        return attrs.evolve(action, edit=workspace_edit(wanted.document, outcome.edits, server.encoding))
