"""A method without `self`: as one more parameter, or in the first one's place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, line_changes
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import function_without_parameters
from copydesk.syntax.fragment import statement_at
from copydesk.text.document import content

_DEF = re.compile(r"\s*(?:async\s+)?def\s+\w+\s*\(")
_BOUND = re.compile(r"\bdef\s+\w+\s*\(\s*(?:self|cls)\b")
_FIRST_IS_SELF = re.compile(r"\s*(?:async\s+)?def\s+\w+\s*(?:\[[^\]]*\])?\(\s*self\b")
_HEAD_LINES = 4
"""As many lines above the diagnostic the head of its function is looked for."""


class MissingSelf(Handler):
    """The head of the function with `self`, which may be longer than a line."""

    kinds = frozenset({DiagnosticKind.MISSING_SELF, DiagnosticKind.TOO_MANY_ARGUMENTS})

    def candidates(self, context: FixContext) -> Candidates | None:
        return line_changes(context, _heads(context.diagnostic.start.line, context.lines))

    def still_applies(self, context: FixContext) -> bool:
        """While the head of a function is flagged that has no `self`; too many arguments are believed unless the function is
        known to take none.
        """
        if context.kind is DiagnosticKind.MISSING_SELF:
            head = context.statement()
            return _DEF.match(head) is not None and _FIRST_IS_SELF.match(head) is None
        name = function_without_parameters(context.diagnostic.message)
        if name is None:
            return True
        return re.match(rf"\s*(?:async\s+)?def\s+{name}\s*\(\s*self\b", context.statement()) is None


def _heads(at: int, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """at: the flagged line, 0-based."""
    top = next((k for k in range(at, max(-1, at - _HEAD_LINES), -1) if _DEF.match(lines[k])), None)
    if top is None or _BOUND.search(statement_at(lines, top, top)):
        return
    text = content(lines[top])
    match = _DEF.match(text)
    assert match is not None
    rest = text[match.end() :]
    if rest.strip():
        yield top + 1, text[: match.end()] + ("self" if rest.lstrip()[0] == ")" else "self, ") + rest
        first = re.match(r"[^\W\d]\w*", rest)
        if first is not None:
            yield top + 1, text[: match.end()] + "self" + rest[first.end() :]
    elif top + 1 < len(lines):
        text = content(lines[top + 1])
        head = text[: len(text) - len(text.lstrip())]
        yield top + 2, f"{head}self,\n{text}"
        yield top + 2, f"{head}self, {text.lstrip()}"
