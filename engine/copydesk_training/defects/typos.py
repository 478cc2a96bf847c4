"""Misspellings as fingers make them."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Container
from random import Random

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_BESIDE = {
    "q": "wa", "w": "qes", "e": "wrd", "r": "etf", "t": "ryg", "y": "tuh", "u": "yij", "i": "uok", "o": "ipl",
    "p": "o", "a": "qsz", "s": "awdx", "d": "sefc", "f": "drgv", "g": "fthb", "h": "gyjn", "j": "hukm",
    "k": "jil", "l": "ko", "z": "ax", "x": "zsc", "c": "xdv", "v": "cfb", "b": "vgn", "n": "bhm", "m": "nj",
}  # fmt: skip
BUILTINS = frozenset(dir(builtins))


def typo(rng: Random, word: str, taken: Container[str] = (), tries: int = 6) -> str | None:
    """`word` with a letter lost, doubled, swapped, or replaced; an identifier that is no keyword, builtin or
    member of `taken`. None where none was found. The first letter mostly stays.
    """
    if len(word) < 2:
        return None
    for _ in range(tries):
        found = _slip(rng, word)
        if (
            found != word
            and found.isidentifier()
            and not keyword.iskeyword(found)
            and not keyword.issoftkeyword(found)
            and found not in BUILTINS
            and found not in taken
        ):
            return found
    return None


def _slip(rng: Random, word: str) -> str:
    i = rng.randrange(0 if rng.random() < 0.1 else 1, len(word))
    match rng.randrange(6):
        case 0 | 1:
            return word[:i] + word[i + 1 :]
        case 2:
            return word[: i + 1] + word[i:]
        case 3 | 4 if i + 1 < len(word):
            return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        case 5 if "_" in word[1:-1]:
            at = word.index("_", 1)
            return word[:at] + word[at + 1 :]
        case _:
            beside = _BESIDE.get(word[i].lower(), _LETTERS) if rng.random() < 0.7 else _LETTERS
            letter = rng.choice(beside)
            return word[:i] + (letter.upper() if word[i].isupper() else letter) + word[i + 1 :]
