"""One version of a document, as a request sees it."""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.syntax.tree import Parsed
from copydesk.text.document import TextLines


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Untouched by later edits. parsed: None for a language without a grammar. name: the document's, which tells its schema."""

    lines: TextLines
    number: int
    language: str
    parsed: Parsed | None
    name: str = ""
