"""Names, literals and words of code and of requests, made comparable: split at underscores and capitals, lower case, stemmed."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources

_LEXEME = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<string>[rbfuRBFU]{0,2}(?:"(?:\\.|[^"\\\n])+"|'(?:\\.|[^'\\\n])+'))
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<sign>\"\"\"|'''|""|''|[-+*/%@&|^=<>!:]=|->|\*\*|//|<<|>>|\.\.\.|[^\w\s])""",
    re.VERBOSE,
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SUFFIX = re.compile(r"(?:ations?|ating|ated|ates|ers?|ings?|edly|ed|ies|es|s|ly|e|y)$")


def word_list(file: str) -> frozenset[str]:
    """The words of a data file beside this module, one a line."""
    lines = resources.files("copydesk_training.histories").joinpath(file).read_text("utf-8").split("\n")
    return frozenset(line for line in lines if line and not line.startswith("#"))


COMMON = frozenset(
    [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls", "args", "kwargs"]
    + [name for kind in (str, list, dict, set, bytes, int, BaseException) for name in dir(kind)]
)
"""What every program may name."""
STOP = word_list("stop_words.txt")


def lexemes(text: str) -> list[tuple[str, str]]:
    """The lexemes of a piece of code that need not parse: kind and text."""
    return [(match.lastgroup or "sign", match.group()) for match in _LEXEME.finditer(text)]


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """The word in lower case without its ending, where three letters are left: enough to tell that two are the same."""
    word = word.lower()
    short = _SUFFIX.sub("", word)
    return short if len(short) >= 3 else word


@lru_cache(1 << 16)
def parts(name: str) -> tuple[str, ...]:
    """The stems of a name's words: `read_timeouts` → read, timeout."""
    return tuple(stem(part) for part in _PART.findall(name))


def stems(text: str) -> set[str]:
    """The stems of all words of a text, names split."""
    return {part for word in re.findall(r"\w+", text) for part in (*parts(word), stem(word))}


def content_stems(text: str) -> set[str]:
    """The stems of a request's words that say what it is about."""
    words = re.findall(r"\w+", text)
    return {
        p
        for w in words
        if w.lower() not in STOP
        for p in (*parts(w), stem(w))
        if p not in STOP and len(p) > 1
    }


def alike(one: str, other: str) -> bool:
    """Whether a word is the other misspelt: at most two edits, half of the letters at least the same."""
    if abs(len(one) - len(other)) > 2 or one == other or max(len(one), len(other)) < 3:
        return False
    row = list(range(len(other) + 1))
    for i, a in enumerate(one.lower(), 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other.lower(), 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1] <= min(2, max(len(one), len(other)) // 2)


def names(found: Iterable[tuple[str, str]]) -> set[str]:
    """The names among lexemes."""
    return {text for kind, text in found if kind == "name"}
