"""A variable that is assigned only to be returned (RET504). The model writes the fix; the scope has both statements."""

from __future__ import annotations

from copydesk.quickfixes.handler import FixContext, Handler
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import quoted_name
from copydesk.quickfixes.words import contains_word


class UnnecessaryAssignment(Handler):
    """No candidates: what is assigned may be a text of any length."""

    kinds = frozenset({DiagnosticKind.UNNECESSARY_ASSIGNMENT})

    def still_applies(self, context: FixContext) -> bool:
        """While the statement returns the name that is quoted."""
        name = quoted_name(context.diagnostic.message)
        statement = context.statement()
        return contains_word(statement, "return") and (name is None or contains_word(statement, name))
