"""What is known of the findings a person wants fixed besides the document: ruff's own fixes, which clients do not send along, and
how the project imports a name that is missing. Looked up off the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from copydesk.request import Diagnostic
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_imports import WorkspaceImports

if TYPE_CHECKING:
    from copydesk_server.ruff import Ruff

LANGUAGE = "python"


class Propose(Protocol):
    """The diagnostics of a document as it stands, with the fixes that tools propose against them; None where no tool is to be
    asked.
    """

    def __call__(
        self, document: OpenDocument, diagnostics: Sequence[Diagnostic]
    ) -> Awaitable[Sequence[Diagnostic]] | None: ...


class ProposedFixes:
    """Asks ruff, where the setting `linterFixes` allows its fixes, and the files of the opened folder that the document is in.
    `find_ruff` is called in a thread.
    """

    def __init__(
        self, state: SessionState, find_ruff: Callable[[], Ruff | None], imports: WorkspaceImports
    ) -> None:
        self._state, self._find_ruff, self._imports = state, find_ruff, imports

    def __call__(
        self, document: OpenDocument, diagnostics: Sequence[Diagnostic]
    ) -> Awaitable[Sequence[Diagnostic]] | None:
        """Those that already have fixes are left as they are. Raises: never."""
        allowed = self._state.settings.of(document.uri).linter_fixes
        if document.language != LANGUAGE or all(diagnostic.fixes for diagnostic in diagnostics):
            return None
        text, path, root = document.lines.text, document.path, self._imports.root(document)
        if allowed == "none" and root is None:
            return None

        def propose() -> Sequence[Diagnostic]:
            # Not before they are needed: `initialize` has no time for imports.
            from copydesk_server.linter_fixes import with_ruff_fixes
            from copydesk_server.ruff import APPLICABLE

            found = diagnostics
            if root is not None:
                found = self._imports.informed(found, root, path, text, read=True)
            ruff = self._find_ruff() if allowed != "none" else None
            if ruff is None:
                return found
            return with_ruff_fixes(found, text, path, replace(ruff, fixes=APPLICABLE[allowed]))

        return asyncio.to_thread(propose)
