"""The project files of the workspace's folders, read into the settings."""

from __future__ import annotations

from copydesk_server.lsp import project
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.uris import path_of


class ProjectFiles:
    """Reads `.copydesk.toml` at the roots; none where folders are not trusted."""

    def __init__(self, state: SessionState, client: Client) -> None:
        self._state, self._client = state, client

    def read(self) -> None:
        """Read every folder's file. The person is told what is wrong with one."""
        for root in self._state.folders:
            folder = None if self._state.untrusted else path_of(root)
            found, wrong = project.load(folder) if folder is not None else (None, [])
            message = (
                f"copydesk leaves out parts of {folder}/{project.FILE}: {'; '.join(wrong)}." if wrong else ""
            )
            self._client.report_problem(f"project {root}", message)
            self._state.settings.set_project(root, found)
