"""`textDocument/rename`: a symbol with all that refers to it, in all files of the opened folders, or an error that says why
not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lsprotocol import types

from copydesk_server.lsp.renaming import Renaming


def rename(renaming: Renaming) -> Callable[[types.RenameParams], Awaitable[types.WorkspaceEdit]]:
    """No model is asked."""

    async def handle(params: types.RenameParams) -> types.WorkspaceEdit:
        return await renaming.rename(
            params.text_document.uri, params.position, params.new_name, params.work_done_token
        )

    return handle
