"""Which of two names an instruction wants in place of the other."""

from __future__ import annotations

import re

_BECOMES = r"[`'\"]?(?:\W*\?|\W*[;,.])?\s*(?:should be(?: called| named)?|to|into|becomes|make it|call it|->|→|=>)\s*[`'\"]?"
"""Stands between an old name and its new one."""
_REPLACES = r"[`'\"]?,?\s*(?:instead of|rather than|and not|not)\s*[`'\"]?"
"""Stands between a new name and the old one."""


def is_reversed(old: str, new: str, instruction: str) -> bool:
    """Whether the instruction says that `new` is to become `old`, as it does where that has been done already."""
    if old not in instruction or new not in instruction:
        return False  # which most are: the patterns below have to be compiled for every pair of names
    one, other = rf"(?<![\w.]){re.escape(new)}", rf"{re.escape(old)}(?![\w.]\w|\w)"
    became = f"{one}{_BECOMES}{other}"
    one, other = rf"(?<![\w.]){re.escape(old)}", rf"{re.escape(new)}(?![\w.]\w|\w)"
    return re.search(f"{became}|{one}{_REPLACES}{other}", instruction) is not None
