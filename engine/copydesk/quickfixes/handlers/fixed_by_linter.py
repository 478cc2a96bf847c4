"""Findings for which the linter's own fix is all that is needed: only whether they still apply is known here.

White space at the end of lines (W291, W293, C0303), f-strings without placeholders (F541, W1309), a variable assigned only to be
returned (RET504), and code that a function of the standard library replaces (SIM105, FURB…). Where the linter proposes nothing,
the model writes the fix.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from copydesk.quickfixes.handler import FixContext, Handler
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import quoted_name
from copydesk.quickfixes.words import contains_word

_F_STRING = re.compile(r"(?<!\w)[rRbB]?[fF][rR]?(?=[\"'])")


def _returns_the_variable(context: FixContext) -> bool:
    name, statement = quoted_name(context.diagnostic.message), context.statement()
    return contains_word(statement, "return") and (name is None or contains_word(statement, name))


_TRUE: dict[DiagnosticKind, Callable[[FixContext], bool]] = {
    DiagnosticKind.TRAILING_WHITESPACE: lambda context: any(
        line != line.rstrip() for line in context.flagged()
    ),
    DiagnosticKind.WHITESPACE_ON_BLANK_LINE: lambda context: any(
        line and not line.strip() for line in context.flagged()
    ),
    DiagnosticKind.F_STRING_WITHOUT_PLACEHOLDERS: lambda context: (
        _F_STRING.search(context.statement()) is not None
    ),
    DiagnosticKind.UNNECESSARY_ASSIGNMENT: _returns_the_variable,
    DiagnosticKind.STANDARD_LIBRARY_ALTERNATIVE: lambda context: any(
        line.strip() for line in context.flagged()
    ),
}
"""What holds of the lines where such a finding is true."""


class FixedByLinter(Handler):
    """No candidates beside the linter's."""

    kinds = frozenset(_TRUE)

    def still_applies(self, context: FixContext) -> bool:
        return context.kind is None or _TRUE[context.kind](context)
