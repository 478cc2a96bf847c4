"""Code that a name of the standard library says better (SIM105, FURB…). The model writes the fix; the scope has the imports."""

from __future__ import annotations

from copydesk.quickfixes.handler import FixContext, Handler
from copydesk.quickfixes.kinds import DiagnosticKind


class StandardLibraryAlternative(Handler):
    """No candidates: such rules have little in common but that they may need an import."""

    kinds = frozenset({DiagnosticKind.STANDARD_LIBRARY_ALTERNATIVE})

    def still_applies(self, context: FixContext) -> bool:
        """While some flagged line is not blank."""
        return any(line.strip() for line in context.flagged())
