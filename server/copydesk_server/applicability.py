"""Whether a fix keeps what the code means, as far as a tool says so of a fix of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from copydesk.errors import DocumentError
from copydesk.request import Diagnostic
from copydesk.text.document import Encoding, apply_edits, view_text

Applicability: TypeAlias = Literal["safe", "unsafe"]
"""unsafe: the tool whose fix it is says that the code may mean something else after it."""


def applicability(before: str, after: str, diagnostics: Sequence[Diagnostic]) -> Applicability:
    """ "unsafe" where the edit from `before` to `after` is a fix that the diagnostics carry as unsafe. Raises: never."""
    result = view_text(after)
    for fix in (fix for diagnostic in diagnostics for fix in diagnostic.fixes if not fix.safe):
        try:
            if view_text(apply_edits(before, fix.edits, Encoding.UTF32)) == result:
                return "unsafe"
        except DocumentError:  # it was made for another text
            continue
    return "safe"
