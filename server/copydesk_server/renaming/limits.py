"""How much a rename may look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """files: Python files of a project. mentions: those of them that have the name. occurrences: of the name in all of them.
    file_bytes, bytes: of one file, and of all of them. seconds: until the process is ended.
    """

    files: int = 10_000
    mentions: int = 300
    occurrences: int = 3_000
    file_bytes: int = 1 << 20
    bytes: int = 128 << 20
    seconds: float = 60.0


LIMITS = Limits()
