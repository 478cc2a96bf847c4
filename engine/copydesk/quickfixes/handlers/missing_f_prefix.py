"""A plain string that should be an f-string (RUF027), as one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind

_PLAIN = re.compile(r"(?<![\w\"'])(?=[\"'])")


class MissingFPrefix(Handler):
    """The line with each string in turn given the prefix."""

    kinds = frozenset({DiagnosticKind.MISSING_F_PREFIX})

    def candidates(self, context: FixContext) -> Candidates | None:
        return rewritten_lines(context, _with_prefix)

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has something that could be a placeholder."""
        return "{" in context.statement()


def _with_prefix(text: str) -> Iterator[str]:
    for match in _PLAIN.finditer(text):
        yield f"{text[: match.start()]}f{text[match.start() :]}"
