"""A replacement of whole lines of a document: the one form in which an edit is proposed before it becomes a program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineEdit:
    r"""Lines `first` to `last` (1-based, inclusive; none where `last` is `first - 1`: an insertion before `first`) become `text`,
    whole lines that end in `\n`."""

    first: int
    last: int
    text: str
