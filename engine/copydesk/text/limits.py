"""How much text is read at all: refused by bytes, before anything is parsed or tokenised.

A line of 20 MB took 9 GB as tokens. What is beyond these limits is no source a person edits; whoever needs other limits passes
their own. Knows sizes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from copydesk.errors import ContextLengthError, DocumentTooLargeError

DOCUMENT_BYTES = (4 << 20) + (256 << 10)
"""A file of 4 MB, the largest that `fix` and `refactor` read, and what fixes add to it."""
LINE_BYTES = 1 << 20
PAGE_BYTES = 256 << 10
"""No model's context holds as much text; tokenising it to find out takes some 50 MB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of UTF-8 that a document, one line of it, and what a request shows of it may have."""

    document_bytes: int = DOCUMENT_BYTES
    line_bytes: int = LINE_BYTES
    page_bytes: int = PAGE_BYTES

    def check_document(self, size: int) -> None:
        """Raises DocumentTooLargeError for a document of `size` bytes."""
        if size > self.document_bytes:
            raise DocumentTooLargeError(
                f"the document has {_size(size)}, and at most {_size(self.document_bytes)} are edited"
            )

    def check_lines(self, lines: Iterable[str]) -> None:
        """Raises DocumentTooLargeError for the first line that is too long. `lines` begin at line 1."""
        for number, line in enumerate(lines, 1):
            if len(line) * 4 > self.line_bytes and byte_count(line) > self.line_bytes:
                raise DocumentTooLargeError(
                    f"line {number} has {_size(byte_count(line))}, and lines of at most {_size(self.line_bytes)} are edited"
                )

    def check_page(self, views: Sequence[str]) -> None:
        """Raises ContextLengthError for lines no context holds. `views`: the lines of a page."""
        if sum(map(len, views)) * 4 <= self.page_bytes:
            return
        sizes = [byte_count(view) for view in views]
        if sum(sizes) > self.page_bytes:
            raise ContextLengthError(
                f"the lines round the request have {_size(sum(sizes))}, and at most {_size(self.page_bytes)} are read:"
                f" one of them alone has {_size(max(sizes))}"
            )


def byte_count(text: str) -> int:
    """Bytes of `text` in UTF-8; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MB" if count >= 1 << 20 else f"{count / (1 << 10):.0f} KB"
