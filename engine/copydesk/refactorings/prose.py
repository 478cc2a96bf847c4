"""What a tool's message says about code, apart from the code that it quotes: its prose gives nothing a name."""

from __future__ import annotations

import builtins
import keyword
import re

_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_WORD = re.compile(r"(?<![\w.])[^\W\d_][^\W\d_]+(?!\w|\.\w)")
_NAME = re.compile(r"[^\W\d]\w+(?!\w|=(?!=))")
"""Not of a keyword argument: which there are, the called function says."""


def prose(message: str) -> frozenset[str]:
    """The words of a message that it does not quote, and that do not look like code: `loop variable "x"` has two."""
    return frozenset(_WORD.findall(_QUOTED.sub(" ", message)))


def takes_name_from(words: frozenset[str], written: str, known: str) -> bool:
    """Whether some code that is `written` has a name out of `words` that `known` has not, and Python neither."""
    new = set(_NAME.findall(written)).difference(_NAME.findall(known))
    return any(not keyword.iskeyword(name) and not hasattr(builtins, name) for name in new & words)
