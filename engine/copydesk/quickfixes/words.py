"""Words of a statement's text."""

from __future__ import annotations

import re


def contains_word(text: str, word: str) -> bool:
    """Whether `word` is a whole word of it."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
