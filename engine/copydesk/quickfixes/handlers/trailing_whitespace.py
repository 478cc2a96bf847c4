"""White space at the end of a line (W291, C0303) or on a blank one (W293): gone."""

from __future__ import annotations

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind


class TrailingWhitespace(Handler):
    """The line without it."""

    kinds = frozenset({DiagnosticKind.TRAILING_WHITESPACE, DiagnosticKind.WHITESPACE_ON_BLANK_LINE})

    def candidates(self, context: FixContext) -> Candidates | None:
        return rewritten_lines(context, lambda text: [text.rstrip()])

    def still_applies(self, context: FixContext) -> bool:
        """While a flagged line ends in white space, or has nothing else."""
        if context.kind is DiagnosticKind.WHITESPACE_ON_BLANK_LINE:
            return any(line and not line.strip() for line in context.flagged())
        return any(line != line.rstrip() for line in context.flagged())
