"""A coroutine that is never awaited: `await` before a call."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind

_CALL = re.compile(r"(?<![\w.])(?<!await )(?:[^\W\d]\w*\.)*[^\W\d]\w*\(")


class MissingAwait(Handler):
    """The line with each of its calls awaited."""

    kinds = frozenset({DiagnosticKind.MISSING_AWAIT})

    def candidates(self, context: FixContext) -> Candidates | None:
        return rewritten_lines(context, _awaited)

    def still_applies(self, context: FixContext) -> bool:
        """While the statement has a call."""
        return "(" in context.statement()


def _awaited(text: str) -> Iterator[str]:
    for match in _CALL.finditer(text):
        if not keyword.iskeyword(match.group()[:-1]):
            yield f"{text[: match.start()]}await {text[match.start() :]}"
