"""Text that repeats itself: what a small model writes when it does not find an end.

Checked at every `EVERY`-th token, from the tokens alone, so that it does not matter how many came with one forward.
"""

from __future__ import annotations

from collections.abc import Sequence

EVERY = 32
"""Tokens between two looks."""
LONGEST = 32
"""Tokens of the longest text whose repetition is noticed."""
SPAN = 128
"""So many tokens in a row have to repeat: tables of numbers and the like do it for a while."""


def loops(written: Sequence[int], more: Sequence[int] = ()) -> bool:
    """Whether the last `SPAN` tokens of `written` and `more` repeat the same few; looked at where `EVERY` divides the count."""
    count = len(written) + len(more)
    if count < SPAN or count % EVERY:
        return False
    last = [*written[-SPAN:], *more][-SPAN:]
    return any(last[period:] == last[:-period] for period in range(1, LONGEST + 1))
