"""`workspace/executeCommand`: for clients that cannot resolve actions, and to hear of an inline completion that was accepted. The
edit of an action goes out as `workspace/applyEdit`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from copydesk_server.lsp.alternatives import Alternatives
from copydesk_server.lsp.applying import Applying
from copydesk_server.lsp.capabilities import ACCEPTED, COMMANDS
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.edit_provider import EditProvider
from copydesk_server.lsp.edit_requests import OURS, EditRequests, is_ours
from copydesk_server.lsp.explanation import explain
from copydesk_server.lsp.inline_completions import InlineCompletions
from copydesk_server.lsp.workspace_fixes import KIND, WorkspaceFixes


def execute_command(
    client: Client,
    requests: EditRequests,
    edits: EditProvider,
    applying: Applying,
    alternatives: Alternatives,
    inline_completions: InlineCompletions,
    workspace_fixes: WorkspaceFixes,
) -> Callable[[types.ExecuteCommandParams], Awaitable[None]]:
    """The commands of actions take an action's data; they differ in what the menu of a client without action literals calls
    them.
    """

    async def handle(params: types.ExecuteCommandParams) -> None:
        if params.command == ACCEPTED:
            inline_completions.accept()
            return
        if params.command not in COMMANDS or len(params.arguments or ()) != 1:
            raise JsonRpcInvalidParams("no command of ours")
        assert params.arguments is not None
        (data,) = params.arguments
        if data is not None and is_ours(data) and data[OURS] == KIND:
            await workspace_fixes.command(data, params.work_done_token)
            return
        task = requests.from_action(data)
        task.token = params.work_done_token
        outcome = await edits.obtain(task)
        if outcome.status != "edited":
            if not alternatives.ask(task.document, outcome, refactoring=task.kind == "rewrite"):
                explain(client, outcome)
            return
        await applying.apply(task.document, outcome, refactoring=task.kind == "rewrite")

    return handle
