"""Which words a word may be a misspelling of, by their letters alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

LONG = 8
"""So many letters make two slips likelier than another word."""


def distance(a: str, b: str, most: int = 2) -> int:
    """Letters put in, taken out, exchanged or swapped with their neighbour (optimal string alignment); above `most` just more."""
    return int(OSA.distance(a, b, score_cutoff=most))


def meant(wrong: str, words: Iterable[str]) -> list[str]:
    """The words `wrong` may be a misspelling of, the nearest first: one slip away, or two where it is long. Case is no slip."""
    low = wrong.lower()
    slips = 2 if len(wrong) >= LONG else 1
    found: list[tuple[int, int, str]] = []
    for k, word in enumerate(dict.fromkeys(words)):
        if len(word) > 1 and word != wrong and abs(len(word) - len(wrong)) <= slips:
            far = distance(low, word.lower(), slips)
            if far <= slips:
                found.append((far, k, word))
    return [word for _, _, word in sorted(found)]


@lru_cache(4096)
def letter_pairs(word: str) -> frozenset[str]:
    """Neighbouring letters, with the ends marked; letters one apart too, for those that were swapped."""
    low = f"^{word.lower()}$"
    return frozenset(
        [*(low[k : k + 2] for k in range(len(low) - 1)), *(low[k] + low[k + 2] for k in range(len(low) - 2))]
    )


def closeness(word: str, good: str) -> float:
    """How alike two words are, from 0 to 1; those whose lengths differ by more than one letter are not."""
    if abs(len(word) - len(good)) > 1:
        return 0.0
    if sorted(word) == sorted(good):
        return 0.9
    both = letter_pairs(word), letter_pairs(good)
    return 2 * len(both[0] & both[1]) / (len(both[0]) + len(both[1]))
