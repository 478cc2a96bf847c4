"""How well what a candidate's title says goes with the words of an instruction: what is weighed first, or at all."""

from __future__ import annotations

import re
from functools import lru_cache

_TEXT = re.compile(r'"[^"\s]+(?:\s+[^"\s]+){2,}"')
"""A quoted text of three words or more."""
_TOKEN = re.compile(r"\w+|[<>=!]=|//|\*\*|[-<>+*/%|]")
_STOP = frozenset({
    "a", "an", "as", "at", "be", "by", "can", "do", "for", "from", "here", "i", "in", "instead", "it", "its", "just", "of", "on",
    "please", "should", "so", "that", "the", "there", "this", "to", "use", "variable", "we", "with", "would",
})  # fmt: skip
"""Words that say nothing about which edit is meant."""
_SYNONYMS = (
    "none null missing absent unset nothing",
    "empty blank falsy truthy truthiness nothing len",
    "strip whitespace space trim blank surrounding pasted",
    "lower lowercase insensitive case casefold",
    "upper uppercase capital",
    "remove drop delete without superfluous redundant unnecessary needless rid omit useless only lose no need",
    "add also too accept allow another additional include extra more well fine as handle",
    "sort sorted order alphabetical ordered stable",
    "swap order reversed exchange first",
    "negate invert not flip opposite inverted wrong way round",
    "annotate type typed hint annotation annotated",
    "return give back yield result come hand",
    "default fallback fall otherwise",
    "parameter argument arg param",
    "keyword kwarg name",
    "generator list comprehension",
    "union optional",
    "pass give call",
    "<= < inclusive most equal exactly off",
    ">= > inclusive least equal exactly off",
    "== != equal equality same",
    "is identity identical",
    "+ plus add concatenate",
    "- minus subtract",
    "/ // divide integer division",
    "set unique duplicate",
    "list copy mutate mutable",
    "tuple immutable frozen hashable",
    "str string text",
    "int integer number",
    "bool boolean truth flag",
    "dict mapping dictionary",
    "bytes binary",
    "repr quote quoted",
    "length size long len short",
    "maxsplit once split first one limit",
    "newline line",
    "raise error exception",
    "catch except exception error",
    "check test condition guard",
    "element item entry member",
    "subscript key index",
    "last end trailing -1",
    "increase raise more bigger higher longer double",
    "decrease lower less smaller fewer shorter half",
)
"""Words that people use for one another, by their stems or in full."""
_DIRECT, _ALIKE, _PART = 1.0, 0.7, 0.6
"""What a word counts: said itself, by a word for the same, as a part of a name."""
_DIMINISHED = 0.7
"""The exponent of what is shared: a title that repeats a long argument is not far ahead of one with the right two words."""
_BESIDE = 0.5
_MOST_BESIDE = 2.0
"""What a word counts that the instruction has not, and all of these together: quoting much code makes no title worse."""


def affinity(title: str, words: frozenset[str]) -> float:
    """How well a title goes with an instruction of these words: what it has of them, less what it has beside them.

    A word counts whatever its ending is. A quoted text of three words or more does not count: the instruction itself would do.
    """
    wanted = _wanted(words)
    used = beside = 0.0
    for token in set(_TOKEN.findall((_TEXT.sub(" ", title) if title.count('"') > 1 else title).lower())):
        if token in _STOP:
            continue
        weight = wanted.get(token) or wanted.get(stem(token), 0.0)
        if not weight and "_" in token:
            parts = [part for part in token.split("_") if part]
            weight = _PART if any(wanted.get(stem(part), 0.0) == _DIRECT for part in parts) else 0.0
        used += weight
        beside += 0.0 if weight else _BESIDE
    return used**_DIMINISHED - min(beside, _MOST_BESIDE)


@lru_cache(maxsize=16)
def _wanted(words: frozenset[str]) -> dict[str, float]:
    """What each word counts that a title may have."""
    found: dict[str, float] = {}
    stems = {stem(word) for word in words if word not in _STOP}
    for group in _groups():
        if group & stems:
            found |= dict.fromkeys(group, _ALIKE)
    for word in words - _STOP:
        for part in word.split("_") if "_" in word else ():
            found.setdefault(stem(part), _PART)
    return found | dict.fromkeys(stems, _DIRECT)


@lru_cache(maxsize=1)
def _groups() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, line.split())) for line in _SYNONYMS)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending, near enough to tell words of one stem."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word
