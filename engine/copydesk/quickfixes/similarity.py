"""Which words a word may be a misspelling of, by their letters alone."""

from __future__ import annotations

import re
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


CASE = 0.5
"""What another case, or other underscores, cost."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


def slip_cost(wrong: str, good: str, *, parts: bool = True) -> float | None:
    """How unlikely it is that somebody who means `good` writes `wrong`: 0.5 for another case or underscores, 1 for one slip of
    the fingers, 2 for what is left of a rename, and more where one looks like a class and the other does not; None where the
    two are not alike. parts: whether one may be a word longer than the other.
    """
    slip = typing_cost(wrong, good)
    words = _words(wrong), _words(good)
    costs = [
        cost for cost in (slip, _abbreviated(*words), _part(*words) if parts else None) if cost is not None
    ]
    if not costs:
        return None
    classes = looks_like_class(wrong), looks_like_class(good)
    return min(costs) + (0.0 if classes[0] == classes[1] else 2.1 if slip == CASE and classes[0] else 0.5)


def typing_cost(wrong: str, good: str) -> float | None:
    """The same, of slips of the fingers, of case, and of underscores alone."""
    if wrong == good or not good:
        return None
    a, b = folded(wrong), folded(good)
    if a == b:
        return CASE if a else None
    longer = max(len(wrong), len(good))
    far = distance(a, b)
    if far > (2 if longer >= LONG else 1) or longer <= 1 + far:
        return None
    swapped = sorted(a) == sorted(b)
    same_case = distance(wrong, good) <= far
    return far + (0.0 if same_case else 0.3) + (0.5 if longer <= 3 and not swapped else 0.0)


def folded(name: str) -> str:
    """A name without its case and underscores."""
    return name.replace("_", "").lower()


def looks_like_class(name: str) -> bool:
    """Whether a name is written as classes are."""
    return name.lstrip("_")[:1].isupper() and not name.isupper()


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _abbreviated(a: list[str], b: list[str]) -> float | None:
    """One word of the name is shortened in the other: `msg_id` and `message_id`."""
    if len(a) != len(b):
        return None
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(pairs) != 1:
        return None
    short, long = sorted(pairs[0], key=len)
    if short.endswith("s") and long.endswith("s"):
        short, long = short[:-1], long[:-1]
    return (1.4 if len(short) > 2 else 1.8) if _shortens(short, long) else None


def _shortens(short: str, long: str) -> bool:
    """Its first letters, or its first and consonants in order: `config` and `cfg` of `configuration`."""
    if len(short) < 2 or len(short) >= len(long) or short[0] != long[0]:
        return False
    if long.startswith(short):
        return len(short) >= 3
    letters = iter(long)
    return all(letter in letters for letter in short) and not any(letter in "aeiou" for letter in short[1:])


def _part(a: list[str], b: list[str]) -> float | None:
    """One name is the other and one word more, before or behind: `path` and `file_path`."""
    few, many = sorted((a, b), key=len)
    if not few or len(few) + 1 != len(many):
        return None
    if many[:-1] != few and many[1:] != few:
        return None
    return 1.5 + 0.8 * (1 - len("".join(few)) / len("".join(many)))


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
