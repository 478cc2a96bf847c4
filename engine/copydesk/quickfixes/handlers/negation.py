"""`not` moved into the operator: `not x in y` as `x not in y`, `not x is y` as `x is not y` (E713, E714, C0117)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind

_FLAGGED = {
    DiagnosticKind.NOT_IN_TEST: re.compile(r"(?<!is\s)\bnot\b(?!\s+in\b).*\bin\b", re.DOTALL),
    DiagnosticKind.NOT_IS_TEST: re.compile(r"(?<!is\s)\bnot\b.*\bis\b", re.DOTALL),
    DiagnosticKind.UNNECESSARY_NEGATION: re.compile(r"(?<!is\s)\bnot\b(?!\s+in\b)"),
}
"""What a statement has that such a finding is true of."""


class Negation(Handler):
    """The line with each `not` moved into each `in` or `is` behind it."""

    kinds = frozenset(_FLAGGED)

    def candidates(self, context: FixContext) -> Candidates | None:
        return rewritten_lines(context, _negations)

    def still_applies(self, context: FixContext) -> bool:
        return context.kind is None or _FLAGGED[context.kind].search(context.statement()) is not None


def _negations(text: str) -> Iterator[str]:
    for match in re.finditer(r"\bnot\s+", text):
        for operator in re.finditer(r"\s(in|is)\b", text[match.end() :]):
            at = match.end() + operator.start(1)
            word = operator.group(1)
            negated = "not in" if word == "in" else "is not"
            rest = text[at + len(word) :]
            yield text[: match.start()] + text[match.end() : at] + negated + rest
            if text[match.end() : match.end() + 1] == "(":
                inner = text[match.end() + 1 : at] + negated + rest
                closed = inner.rfind(")")
                if closed >= 0:
                    yield text[: match.start()] + inner[:closed] + inner[closed + 1 :]
