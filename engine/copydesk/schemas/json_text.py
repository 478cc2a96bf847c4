"""The value of a JSON text, with or without comments and trailing commas."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

_STRING = r'("(?:[^"\\]|\\.)*")'
_COMMENTS = re.compile(_STRING + r"|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMAS = re.compile(_STRING + r"|,(?=\s*[}\]])")


def value_of(text: str) -> Any:
    """The value. Raises ValueError where there is none, RecursionError where it is nested too deeply."""
    return read(text)[0]


def read(text: str) -> tuple[Any, Counter[str]]:
    """The value, and the keys that stand again in their objects, of which the value has the last. Raises as `value_of`."""
    again = Counter[str]()

    def counted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            again.update(Counter(key for key, _ in pairs) - Counter(found.keys()))
        return found

    return _loaded(text.removeprefix("\ufeff"), counted), again


def _loaded(text: str, members: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> Any:
    try:
        json.loads(text)
    except ValueError:
        for left_out in (_COMMENTS, _TRAILING_COMMAS):
            text = left_out.sub(lambda match: match[1] or " ", text)
    return json.loads(text, object_pairs_hook=members)
