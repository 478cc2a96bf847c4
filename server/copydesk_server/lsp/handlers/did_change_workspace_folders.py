"""`workspace/didChangeWorkspaceFolders`: settings, project files and watches follow the folders."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.configuration import Configuration
from copydesk_server.lsp.project_files import ProjectFiles
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.watching import Watching


def did_change_workspace_folders(
    state: SessionState,
    tasks: BackgroundTasks,
    configuration: Configuration,
    projects: ProjectFiles,
    watching: Watching,
) -> Callable[[types.DidChangeWorkspaceFoldersParams], None]:
    """Folders were added or removed."""

    def handle(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            state.folders.pop(folder.uri, None)
        state.folders.update((folder.uri, folder.name) for folder in params.event.added)
        state.settings.set_roots(tuple(state.folders))
        projects.read()
        watching.folders_changed()
        if state.capabilities.configuration:
            tasks.spawn(configuration.pull(), "configuration")

    return handle
