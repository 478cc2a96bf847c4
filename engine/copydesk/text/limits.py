"""Limits on the size of documents, lines and pages, checked in bytes before anything is parsed or tokenised.

A line of 20 MB took 9 GB as tokens. Nobody edits source files beyond these limits by hand; callers that need others pass their
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from copydesk.errors import ContextLengthError, DocumentTooLargeError

DOCUMENT_BYTES = (4 << 20) + (256 << 10)
"""A file of 4 MB, the largest that `fix` and `refactor` read, and some room for what fixes add to it."""
LINE_BYTES = 1 << 20
PAGE_BYTES = 256 << 10
"""More text than any model's context holds; tokenising it to find out would take some 50 MB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most bytes of UTF-8 that a document, one of its lines, and the page a request shows may have."""

    document_bytes: int = DOCUMENT_BYTES
    line_bytes: int = LINE_BYTES
    page_bytes: int = PAGE_BYTES

    def check_document(self, size: int) -> None:
        """Raises DocumentTooLargeError for a document of `size` bytes."""
        if size > self.document_bytes:
            raise DocumentTooLargeError(
                f"the document has {_size(size)}; at most {_size(self.document_bytes)} can be edited"
            )

    def check_lines(self, lines: Iterable[str]) -> None:
        """Raises DocumentTooLargeError for the first line that is too long. `lines` begin at line 1."""
        for number, line in enumerate(lines, 1):
            if len(line) * 4 > self.line_bytes and byte_count(line) > self.line_bytes:
                raise DocumentTooLargeError(
                    f"line {number} has {_size(byte_count(line))}; lines of at most {_size(self.line_bytes)} can be edited"
                )

    def check_page(self, views: Sequence[str]) -> None:
        """Raises ContextLengthError where the lines of a page, `views`, are too long for any context."""
        if sum(map(len, views)) * 4 <= self.page_bytes:
            return
        sizes = [byte_count(view) for view in views]
        if sum(sizes) > self.page_bytes:
            raise ContextLengthError(
                f"the lines around the request have {_size(sum(sizes))}; at most {_size(self.page_bytes)} can be read"
                f" (the longest line has {_size(max(sizes))})"
            )


def byte_count(text: str) -> int:
    """Bytes of `text` in UTF-8; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MB" if count >= 1 << 20 else f"{count / (1 << 10):.0f} KB"
