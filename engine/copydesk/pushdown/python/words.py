"""The words of Python that this layer knows: keywords that open blocks, and prefixes of strings."""

from __future__ import annotations

from itertools import product

HARD_KEYWORDS = frozenset(
    ("if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async")
)
"""A line that begins so opens a block."""
SOFT_KEYWORDS = frozenset(("match", "case"))
"""One that begins so opens a block if a colon outside brackets ends it; else they are names."""
STRING_PREFIXES = frozenset(
    "".join(letters)
    for lower in ("r", "b", "u", "f", "br", "rb", "fr", "rf")
    for letters in product(*((letter, letter.upper()) for letter in lower))
)


def _beginnings(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:size] for word in words for size in range(1, len(word) + 1))


LATER = _beginnings(STRING_PREFIXES | {"lambda"})
"""What a word may be so far to matter anywhere."""
FIRST = LATER | _beginnings(HARD_KEYWORDS | SOFT_KEYWORDS)
"""What it may be to matter at the beginning of a line."""


def in_word(byte: int) -> bool:
    """Whether a byte may be part of a name or a number."""
    return (
        byte == 0x5F or 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A or byte >= 0x80
    )
