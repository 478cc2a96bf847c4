"""What a tool's message says about code, apart from the code that it quotes: its prose gives nothing a name."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Set

from copydesk.refactorings.arguments import QUOTED

_WORD = re.compile(r"(?<![\w.])[^\W\d_][^\W\d_]+(?!\w|\.\w)")
_NAME = re.compile(r"[^\W\d]\w+(?!\w|=(?!=))")
"""Not of a keyword argument: which there are, the called function says."""
_PARAMETER = re.compile(r"[^\W\d]\w+")
_HEADER = re.compile(r"\bdef\s+\w+\s*\(")


def prose(message: str) -> frozenset[str]:
    """The words of a message that it does not quote, and that do not look like code: `loop variable "x"` has two."""
    return frozenset(_WORD.findall(QUOTED.sub(" ", message)))


def names_in(code: str) -> frozenset[str]:
    """The names and words of a piece of code, those of parameters with a default among them."""
    found = set(_NAME.findall(code))
    for header in _HEADER.finditer(code):
        depth, end = 1, header.end()
        while depth and end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        found.update(_PARAMETER.findall(code, header.end(), end))
    return frozenset(found)


def takes_name_from(words: Set[str], written: str, known: Set[str]) -> bool:
    """Whether some code that is `written` has a name out of `words` that is not `known`, and none of Python's."""
    new = (names_in(written) & words) - known
    return any(not keyword.iskeyword(name) and not hasattr(builtins, name) for name in new)
