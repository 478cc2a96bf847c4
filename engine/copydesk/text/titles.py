"""How edits are named to a person who may choose one: their titles, and how likely each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Sized

LONGEST_TITLE = 60


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


def clipped(title: str) -> str:
    """A title that fits into a line with others."""
    title = capitalised(title)
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def capitalised(title: str) -> str:
    """Titles begin with a capital, though some of what a model judges does not."""
    return title[:1].upper() + title[1:]
