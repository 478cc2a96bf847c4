"""ruff's own fixes for the findings a person wants fixed, looked up off the event loop. Clients do not send them along."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from copydesk.request import Diagnostic
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.session_state import SessionState

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
    """Asks ruff, where the setting `linterFixes` allows its fixes. `find_ruff` is called in a thread."""

    def __init__(self, state: SessionState, find_ruff: Callable[[], Ruff | None]) -> None:
        self._state, self._find_ruff = state, find_ruff

    def __call__(
        self, document: OpenDocument, diagnostics: Sequence[Diagnostic]
    ) -> Awaitable[Sequence[Diagnostic]] | None:
        """Those that already have fixes are left as they are. Raises: never."""
        allowed = self._state.settings.of(document.uri).linter_fixes
        if (
            allowed == "none"
            or document.language != LANGUAGE
            or all(diagnostic.fixes for diagnostic in diagnostics)
        ):
            return None
        text, path = document.lines.text, document.path

        def propose() -> Sequence[Diagnostic]:
            # Not before they are needed: `initialize` has no time for imports.
            from copydesk_server.linter_fixes import with_ruff_fixes
            from copydesk_server.ruff import APPLICABLE

            ruff = self._find_ruff()
            if ruff is None:
                return diagnostics
            return with_ruff_fixes(diagnostics, text, path, replace(ruff, fixes=APPLICABLE[allowed]))

        return asyncio.to_thread(propose)
