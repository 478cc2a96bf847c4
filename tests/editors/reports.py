"""The texts that editors are tested with: a small module, what is asked of it, and what it becomes.

Chosen so that the embedded model does what is asked. There is text outside the Basic Multilingual Plane above the lines that
change, and in them to the left of the change, so that a client that counts in other units than the server edits another place.
"""

from __future__ import annotations

TEXT = '''"""Reports 😀."""

import json
import os
from pathlib import Path


def load(path):
    text = Path(path).read_text()
    data = json.loads(text)
    return data


def total(items, start=0):
    # 😀 the sum so far
    result = start
    for item in items:
        result += item
    return result


def label(value, mark="😀"):
    if (mark, "𝔵") == (None, "𝔵") or "😀" != mark == None:  # 𝔵 no mark
        return str(value)
    return mark + str(value)
'''
NONE_LINE = 23
"""1-based: E711."""
UNUSED_LINE = 4
"""F401: `os`."""
NONE_FIXED = TEXT.replace("mark == None", "mark is None")
UNUSED_FIXED = TEXT.replace("import os\n", "")
NONE_TITLES = ("Replace `==` with `is`", "Look for a fix: Comparison to `None`")
UNUSED_TITLES = ('Remove unused import "os"', "Look for a fix: `os` imported but unused")
"""What a fix is called: by its edit, or, where that is not known in time, by the finding."""

LABEL = (22, 25)
"""The lines of `label`, 1-based and inclusive."""
RETURNS = "add the return type `str`"
RETURNS_DONE = TEXT.replace('mark="😀"):', 'mark="😀") -> str:')
HINT = "add a type hint to `mark`"
HINT_DONE = TEXT.replace('mark="😀"):', 'mark: str = "😀"):')

REFUSED = "add the return type `Money`"
"""Of `label`: what is made of it has a name that is defined nowhere, so that the hunks are taken back."""


def crlf(text: str) -> bytes:
    """As a file with CRLF line ends."""
    return text.replace("\n", "\r\n").encode()
