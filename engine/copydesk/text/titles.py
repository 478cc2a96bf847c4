"""How edits are named to a person who may choose one: their titles, and how likely each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sized

LONGEST_TITLE = 60
_LINE = re.compile(r", line \d+$")


def percent(probability: float) -> str:
    """A probability as people read it."""
    return f"{probability:.0%}"


def numbered(edits: Iterable[tuple[str, float]]) -> list[str]:
    """Titles with their probabilities, numbered from 1: `1. Rename "tmp" to "node" (41%)`. No two are alike."""
    return [
        f"{number}. {clipped(title)} ({percent(probability)})"
        for number, (title, probability) in enumerate(edits, 1)
    ]


def which_was_meant(edits: Sized) -> str:
    """What a person is asked about them."""
    return "did you mean this?" if len(edits) == 1 else "did you mean one of these?"


def at_line(title: str, line: int) -> str:
    """The title of an edit that another place could have, with the line (1-based) where it begins."""
    return f"{title}, line {line}"


def clipped(title: str) -> str:
    """A title that fits into a line with others, with its line if it has one."""
    title = capitalised(title)
    line = _LINE.search(title)
    kept = line[0] if line is not None else ""
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - len(kept) - 1]}…{kept}"


def capitalised(title: str) -> str:
    """Titles begin with a capital, though some of what a model judges does not."""
    return title[:1].upper() + title[1:]
