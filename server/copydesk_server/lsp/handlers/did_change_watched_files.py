"""`workspace/didChangeWatchedFiles`: what the client saw on disk."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from copydesk_server.lsp.uris import path_of
from copydesk_server.lsp.watching import Watching


def did_change_watched_files(watching: Watching) -> Callable[[types.DidChangeWatchedFilesParams], None]:
    """Files of this machine only."""

    def handle(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            path = path_of(change.uri)
            if path is not None:
                watching.changed(path)

    return handle
