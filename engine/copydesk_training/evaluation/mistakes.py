"""What is wrong with an answer: it changes other lines than it should, or the right lines wrongly, or nothing."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal, TypeAlias, get_args

from copydesk.text.document import split_lines

Mistake: TypeAlias = Literal["wrong place", "wrong extent", "wrong wording", "unchanged", "refused"]
"""wrong place: the lines changed by the answer and those changed by the expected edit do not overlap.
wrong extent: they overlap, but are not the same lines.
wrong wording: they are the same lines, with other text.
unchanged: the answer changes nothing, and the expected edit does.
refused: there is no answer, because a check refused it or the request could not be served.
"""
MISTAKES: tuple[Mistake, ...] = get_args(Mistake)


def mistake_of(before: str, expected: str, answer: str) -> Mistake | None:
    """How `answer` differs from `expected`, both edits of `before`; None where they are equal. Never "refused"."""
    if answer == expected:
        return None
    if answer == before:
        return "unchanged"
    wanted, got = changed_lines(before, expected), changed_lines(before, answer)
    if got == wanted:
        return "wrong wording"
    # A line is next to the places for insertion before and after it.
    touching = any(place + step in wanted for place in got for step in (-1, 0, 1))
    return "wrong extent" if touching else "wrong place"


def changed_lines(before: str, after: str) -> frozenset[int]:
    """The places of `before` at which `after` differs: 2n for line n (1-based), 2n - 1 for an insertion before line n."""
    old, new = split_lines(before), split_lines(after)
    most = min(len(old), len(new))
    head = next((k for k in range(most) if old[k] != new[k]), most)
    most -= head
    tail = next((k for k in range(most) if old[-1 - k] != new[-1 - k]), most)
    middle = SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    ).get_opcodes()
    places: set[int] = set()
    for tag, first, last, _, _ in middle:
        if tag == "insert":
            places.add(2 * (head + first + 1) - 1)
        elif tag != "equal":
            places.update(2 * (head + line + 1) for line in range(first, last))
    return frozenset(places)
