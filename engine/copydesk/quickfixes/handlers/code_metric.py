"""A measure over its limit: too many branches (PLR0912), arguments (PLR0913), statements (PLR0915), too complex (C901)."""

from __future__ import annotations

from copydesk.quickfixes.handler import FixContext, Handler
from copydesk.quickfixes.kinds import DiagnosticKind

REASON = "it measures how the code is divided up, which no edit of a few lines settles"


class CodeMetric(Handler):
    """Nothing is offered: what such a finding asks for, dividing code up, is a person's to say in words."""

    kinds = frozenset({DiagnosticKind.CODE_METRIC})

    def refusal(self, context: FixContext) -> str | None:
        """Even where the model could write something."""
        del context
        return REASON
