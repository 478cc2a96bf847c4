"""A comparison by another operator: `is` for None (E711, C0121), `isinstance` or identity for types (E721, C0123)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, rewritten_lines
from copydesk.quickfixes.kinds import DiagnosticKind

_TO_NONE = re.compile(r"([=!])=(?=\s*None\b)")
_TO_TYPE = re.compile(r"type\(([^()]+)\)\s*(==|!=|is not|is)\s*([\w.]+)")
_EQUALITY = re.compile(r"([=!])=")
_FLAGGED = {
    DiagnosticKind.NONE_COMPARISON: re.compile(r"[=!]=\s*\(*None\b|\bNone\)*\s*[=!]="),
    DiagnosticKind.BOOL_COMPARISON: re.compile(r"[=!]=\s*\(*(True|False)\b|\b(True|False)\)*\s*[=!]="),
    DiagnosticKind.SINGLETON_COMPARISON: re.compile(
        r"[=!]=\s*\(*(None|True|False)\b|\b(None|True|False)\)*\s*[=!]="
    ),
    DiagnosticKind.TYPE_COMPARISON: re.compile(r"types?\b.*[=!]=|[=!]=.*types?\b|dtype", re.DOTALL),
    DiagnosticKind.TYPE_INSTEAD_OF_ISINSTANCE: re.compile(r"\btype\b"),
}
"""What a statement has that such a finding is true of."""


class Comparison(Handler):
    """The line with each comparison written as the rule asks; none for comparisons to True and False."""

    kinds = frozenset(_FLAGGED)

    def candidates(self, context: FixContext) -> Candidates | None:
        match context.kind:
            case DiagnosticKind.NONE_COMPARISON | DiagnosticKind.SINGLETON_COMPARISON:
                return rewritten_lines(context, _none_by_identity)
            case DiagnosticKind.TYPE_COMPARISON | DiagnosticKind.TYPE_INSTEAD_OF_ISINSTANCE:
                return rewritten_lines(context, _types)
            case _:
                return None

    def still_applies(self, context: FixContext) -> bool:
        return context.kind is None or _FLAGGED[context.kind].search(context.statement()) is not None


def _none_by_identity(text: str) -> Iterator[str]:
    for match in _TO_NONE.finditer(text):
        yield _by_identity(text, match)


def _types(text: str) -> Iterator[str]:
    for match in _TO_TYPE.finditer(text):
        value, operator, kind = match.groups()
        call = f"isinstance({value}, {kind})"
        negated = "" if operator in ("==", "is") else "not "
        yield f"{text[: match.start()]}{negated}{call}{text[match.end() :]}"
    for match in _EQUALITY.finditer(text):
        yield _by_identity(text, match)


def _by_identity(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + ("is" if match.group(1) == "=" else "is not") + text[match.end() :]
