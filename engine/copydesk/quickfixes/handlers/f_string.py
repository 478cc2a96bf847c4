"""An f-string without placeholders as a plain string (F541, W1309); a plain string that should be an f-string (RUF027)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind

_F_STRING = re.compile(r"(?<!\w)([rRbB]?)[fF]([rR]?)(?=[\"'])")
_PLAIN = re.compile(r"(?<![\w\"'])(?=[\"'])")


class FString(Handler):
    """The line with the prefix of each string taken away, or given."""

    kinds = frozenset({DiagnosticKind.F_STRING_WITHOUT_PLACEHOLDERS, DiagnosticKind.MISSING_F_PREFIX})

    def candidates(self, context: FixContext) -> Candidates | None:
        missing = context.kind is DiagnosticKind.MISSING_F_PREFIX
        return rewritten_lines(context, _with_prefix if missing else _without_prefix)

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has a string of the flagged sort."""
        if context.kind is DiagnosticKind.MISSING_F_PREFIX:
            return "{" in context.statement()
        return _F_STRING.search(context.statement()) is not None


def _without_prefix(text: str) -> Iterator[str]:
    for match in _F_STRING.finditer(text):
        yield text[: match.start()] + match.group(1) + match.group(2) + text[match.end() :]


def _with_prefix(text: str) -> Iterator[str]:
    for match in _PLAIN.finditer(text):
        yield f"{text[: match.start()]}f{text[match.start() :]}"
