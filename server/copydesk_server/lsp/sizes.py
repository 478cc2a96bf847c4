"""How large a document is, kept as it changes, in time proportional to the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

LONG = 4096
"""Lines of fewer bytes are not told apart."""


class Size:
    """bytes: of the whole text, as UTF-8."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.bytes = 0
        self._long = Counter[int]()  # lines by their length in bytes
        self.add(lines)

    @property
    def longest(self) -> int:
        """Bytes of the longest line with its terminator; 0 where none has as many as `LONG`."""
        return max(self._long, default=0)

    def add(self, lines: Iterable[str]) -> None:
        """These lines are part of the text now."""
        for length in map(_bytes, lines):
            self.bytes += length
            if length >= LONG:
                self._long[length] += 1

    def remove(self, lines: Iterable[str]) -> None:
        """These lines no longer are."""
        for length in map(_bytes, lines):
            self.bytes -= length
            if length >= LONG:
                self._long[length] -= 1
                if not self._long[length]:
                    del self._long[length]


def _bytes(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass"))
