"""A run of a document's lines, and what stands in its place. Knows nothing of why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    r"""Lines `first` to `last` (1-based, inclusive; none where `last` is `first - 1`) become `text`, whose line ends are `\n`."""

    first: int
    last: int
    text: str
