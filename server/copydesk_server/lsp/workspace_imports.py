"""How the opened folders import names, for the documents in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.request import Diagnostic
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.uris import path_of

if TYPE_CHECKING:
    from copydesk_server.project_imports import ProjectImports


class WorkspaceImports:
    """The imports of each opened folder, which are read when they are first asked for."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._indexes: dict[Path, ProjectImports] = {}

    def root(self, document: OpenDocument) -> Path | None:
        """The outermost opened folder that a document's file is in."""
        path = document.path
        folders = [folder for uri in self._state.folders if (folder := path_of(uri)) is not None]
        inside = [folder for folder in folders if path is not None and path.is_relative_to(folder)]
        return min(inside, key=lambda folder: len(folder.parts), default=None)

    def informed(
        self, diagnostics: Sequence[Diagnostic], root: Path, path: Path | None, text: str, *, read: bool
    ) -> Sequence[Diagnostic]:
        """Each undefined name among `diagnostics` of `text` with the imports that the files below `root` have for it. read: look
        at the files again; otherwise what was seen last counts. Blocks while files are read.
        """
        # Not before it is needed: the parsers take longer to import than `initialize` may take.
        from copydesk_server.project_imports import ProjectImports, is_undefined_name, with_project_imports

        if not any(map(is_undefined_name, diagnostics)):
            return diagnostics
        index = self._indexes.setdefault(root, ProjectImports(root))
        return with_project_imports(diagnostics, path, text, index, read=read)
