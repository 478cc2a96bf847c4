"""The three operations of a program. They are plain values, not checked against any document.

Line numbers are 1-based and inclusive. `old` and `new` and a gen's text are raw text, terminators included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Copy:
    """Lines `start` to `end` as they are."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Gen:
    """New text, of whole lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Sub:
    """Lines `start` to `end` with `old`, which begins in line `start` and ends in line `end`, replaced by
    `new`."""

    start: int
    end: int
    old: str
    new: str


Op: TypeAlias = Copy | Gen | Sub
