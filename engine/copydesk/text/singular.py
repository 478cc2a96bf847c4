"""English plurals: what one of the things is called that a name speaks of."""

from __future__ import annotations

import re


def singular(word: str) -> str | None:
    """`entry` for `entries`, in lower case; None for what does not look like a plural."""
    word = word.lower()
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if re.search(r"(?:s|x|z|ch|sh)es$", word) and len(word) > 4:
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else None
