"""`textDocument/prepareRename`: whether there is a name at the cursor, and where. What refers to it is looked for when it is
renamed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lsprotocol import types

from copydesk_server.lsp.renaming import Renaming


def prepare_rename(
    renaming: Renaming,
) -> Callable[[types.PrepareRenameParams], Awaitable[types.PrepareRenamePlaceholder]]:
    """Answers with an error in words where nothing can be renamed."""

    async def handle(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
        return await renaming.prepare(params.text_document.uri, params.position)

    return handle
