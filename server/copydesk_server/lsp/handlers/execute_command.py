"""`workspace/executeCommand`: the way for clients that cannot resolve actions. The edit goes out as `workspace/applyEdit`.

pygls' own handler starts a command in a task that no cancel reaches; this one is the task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from copydesk_server.lsp import edit_requests
from copydesk_server.lsp.applying import Applying
from copydesk_server.lsp.capabilities import COMMANDS
from copydesk_server.lsp.fixing import explain, obtain

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer


def register(server: CopydeskServer) -> None:
    """All our commands take an action's data; they differ in what the menu of a client without action literals calls them."""
    applying = Applying(server)

    async def execute(params: types.ExecuteCommandParams) -> None:
        if params.command not in COMMANDS or len(params.arguments or ()) != 1:
            raise JsonRpcInvalidParams("no command of ours")
        assert params.arguments is not None
        wanted = edit_requests.read(server, params.arguments[0])
        outcome = await obtain(server, wanted, token=params.work_done_token)
        if outcome.status != "edited":
            explain(server, outcome)
            return
        label = "copydesk: edit" if wanted.instruction is not None else "copydesk: fix"
        await applying.apply(wanted.document, outcome, label)

    for name in COMMANDS:
        server.command(name)(execute)
    server.protocol.fm.add_builtin_feature(types.WORKSPACE_EXECUTE_COMMAND, execute)
