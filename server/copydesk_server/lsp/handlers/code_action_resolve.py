"""`codeAction/resolve`: the edit of the action the person has chosen. Nothing streams: the answer is the edit or none.

The edit is for the document's version as it is answered. An action that comes to nothing comes back without edit, and the person
is told why. Where the model was unsure, the person is asked: by a command of the client's own, or by the server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs
from lsprotocol import types

from copydesk_server.lsp import listed_edit
from copydesk_server.lsp.action_maker import ActionMaker
from copydesk_server.lsp.alternatives import Alternatives
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.edit_provider import EditProvider
from copydesk_server.lsp.edit_requests import OURS, EditRequests, is_ours
from copydesk_server.lsp.explanation import explain
from copydesk_server.lsp.refactoring_menu import KIND, RefactoringMenu
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_fixes import KIND as WORKSPACE
from copydesk_server.lsp.workspace_fixes import WorkspaceFixes


def code_action_resolve(
    state: SessionState,
    maker: ActionMaker,
    client: Client,
    requests: EditRequests,
    edits: EditProvider,
    refactorings: RefactoringMenu,
    alternatives: Alternatives,
    workspace_fixes: WorkspaceFixes,
) -> Callable[[types.CodeAction], Awaitable[types.CodeAction]]:
    """Answers -32801 where the text has changed just there: the client asks for actions anew, or forgets about it."""

    async def handle(action: types.CodeAction) -> types.CodeAction:
        if action.edit is not None or not is_ours(action.data):
            return action
        assert action.data is not None
        if action.data[OURS] == KIND:
            return attrs.evolve(action, edit=await refactorings.resolve(action.data))
        if action.data[OURS] == listed_edit.KIND:
            return attrs.evolve(action, edit=maker.edit(*listed_edit.listed_edit(action.data, requests)))
        if action.data[OURS] == WORKSPACE:
            return attrs.evolve(action, edit=await workspace_fixes.resolve(action.data))
        task = requests.from_action(action.data)
        outcome = await edits.obtain(task)
        if outcome.status != "edited":
            command = alternatives.command(task.document, outcome)
            rewrite = task.kind == "rewrite"
            if command is None and not alternatives.ask(task.document, outcome, refactoring=rewrite):
                explain(client, outcome)
            return attrs.evolve(action, command=command)
        known = state.capabilities.resolves_tags
        beside = {}
        if outcome.alternatives and alternatives.clients_own:
            beside["alternatives"] = alternatives.described(task.document, outcome)
        return attrs.evolve(
            action,
            edit=maker.edit(task.document, outcome.edits, outcome.applicability),
            tags=maker.tags(generated=outcome.by_model) if known else action.tags,
            data={
                **action.data,
                "verdict": outcome.verdict,
                "applicability": outcome.applicability,
                **beside,
            },
        )

    return handle
