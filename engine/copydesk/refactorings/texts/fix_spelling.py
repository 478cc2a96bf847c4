"""A misspelt word in a text, written as the document or the instruction writes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile

from copydesk.refactorings.arguments import QUOTED, Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_places import text_places

_WHOLE = re.compile(r"(?:[^aeiou]ing|ation|ied|rned)$")
"""Endings that have all of their letters: `trying`, but not `containg`."""
_WORD = re.compile(r"(?<![\w.'-])[A-Za-z]{2,}(?![\w(=])")
_SHORT = (
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "for", "from", "has", "if", "in", "is", "it", "may",
    "no", "nor", "not", "of", "on", "one", "or", "so", "than", "that", "the", "then", "they", "this", "to", "two", "up",
    "was", "we", "when", "will", "with", "you",
)  # fmt: skip
"""Short words that people mistype."""
_ASKING = frozenset({
    "typo", "typos", "spelling", "spelt", "spelled", "misspelt", "misspelled", "misspelling", "mistyped", "letter", "spell",
})  # fmt: skip
_SAME = 6
"""Letters that two words begin with of which one is written for the other."""
_SHORTEST = 4
"""Letters of a word that is looked for among those of the document."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    counts = Counter(re.findall(r"[A-Za-z]{4,}", "".join(context.lines)))
    asked = arguments.words & _ASKING
    wordings = " ".join(found[2] for found in QUOTED.finditer(arguments.instruction) if " " in found[2])
    named = [
        name for name in arguments.names if not re.search(rf"\b{name}\b", wordings)
    ]  # else a text is reworded
    for place in text_places(context):
        for found in _WORD.finditer(place.text):
            bad = found[0]
            if len(bad) < _SHORTEST:
                if bad.lower() in arguments.words and bad.lower() not in _SHORT:
                    for good in near(bad.lower(), _SHORT):
                        spelt = good.capitalize() if bad.istitle() else good
                        yield f'Spell "{bad}" as "{spelt}"', place.replaced(context, *found.span(), spelt)
                continue
            others = [*named]
            if counts[bad] == 1 and (
                asked or not place.part
            ):  # a word of the document, or what a class is called after
                others += [
                    *(word for word in counts if word.lower() != bad.lower()),
                    *(word.lower() for word in counts if word.istitle() and bad.islower()),
                ]
            if (asked and len(bad) > _SHORTEST) or bad.lower() in arguments.words:
                others += _english_near(bad)
            if others or bad.lower() in arguments.words:
                endings = _with_ending(bad) if counts[bad] == 1 and (asked or not place.part) else ()
                named = [*_otherwise(bad), *_kin(bad, arguments)] if bad.lower() in arguments.words else []
                for good in dict.fromkeys([*near(bad, others), *endings, *named]):
                    yield f'Spell "{bad}" as "{good}"', place.replaced(context, *found.span(), good)


def _english_near(word: str) -> list[str]:
    """What a word that is none of English may be meant for."""
    lower = word.lower()
    if lower in _english().get(lower[0], ()) or not word[1:].islower():
        return []
    found = near(lower, _english().get(lower[0], ()))
    return [one.capitalize() if word.istitle() else one for one in found]


@cache
def _english() -> dict[str, frozenset[str]]:
    """Words of English by their first letter: those of Python's own manual, as far as it is installed."""
    try:
        from pydoc_data import topics
    except ImportError:
        return {}
    words = {
        word for text in topics.topics.values() for word in re.findall(r"(?<![\w.])[a-z]{4,}(?![\w(])", text)
    }
    return {letter: frozenset(w for w in words if w[0] == letter) for letter in {word[0] for word in words}}


def _kin(word: str, arguments: Arguments) -> Iterator[str]:
    """Words of the instruction that begin as a longer one does: `multiplied` beside `multiplicated`."""
    for name in arguments.names:
        pairs = zip(word.lower(), name.lower(), strict=False)
        begun = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if name.lower() != word.lower() and begun >= _SAME and begun * 4 >= 3 * min(len(word), len(name)):
            yield name.capitalize() if word.istitle() else name


def _with_ending(word: str) -> Iterator[str]:
    """With the whole of an ending of which letters are missing: `containg`, `retuned`."""
    for short, ending in (
        ("g", "ing"),
        ("inf", "ing"),
        ("ign", "ing"),
        ("tion", "ation"),
        ("ed", "ied"),
        ("ned", "rned"),
    ):
        if word.endswith(short) and not _WHOLE.search(word):
            yield word.removesuffix(short) + ending


def _otherwise(word: str) -> Iterator[str]:
    """With one letter for two of a kind, two for one before an ending, and `ei` for `ie`: `ommit`, `occured`, `recieve`."""
    for found in re.finditer(r"([a-z])\1", word):
        yield word[: found.start()] + word[found.start() + 1 :]
    for found in re.finditer(r"(?<=[a-z])([clmnprst])(?=(?:ed|ing|er|ence|ance)$)", word):
        if word[found.start() - 1] != found[1]:
            yield word[: found.start()] + found[1] + word[found.start() :]
    for found in re.finditer("ie|ei", word):
        yield word[: found.start()] + found[0][::-1] + word[found.end() :]


def near(word: str, others: Iterable[str]) -> list[str]:
    """Those that are a letter more, less or other, or two swapped, away from a word."""
    return list(dict.fromkeys(other for other in others if other != word and _one_apart(word, other)))


def _one_apart(one: str, two: str) -> bool:
    if abs(len(one) - len(two)) > 1:
        return False
    head = 0
    while head < min(len(one), len(two)) and one[head] == two[head]:
        head += 1
    a, b = one[head:], two[head:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


FIX_SPELLING = Refactoring("fix_spelling", "refactor.rewrite.fixSpelling", _propose)
