"""Words of a text as the instruction writes them: with or without a hyphen, as one word or two, in other letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import TextLine, text_lines, with_texts

_WORDS = re.compile(r"[^\W_]+(?:['’](?:s|t|d|m|ll|re|ve)\b)?")
_LONGEST = 3
"""Words that one may be written as."""
_SHORTEST = 4
"""Letters of a word that is looked for."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    said = dict(_phrases(arguments.instruction.strip(" .!?")))
    places = text_lines(context) if said else []
    found: dict[tuple[str, str], list[tuple[TextLine, str]]] = {}
    for place in places:
        for old, letters in {phrase: letters for letters, phrase in _phrases(place.text)}.items():
            new = _with_capital(said[letters], old) if letters in said else None
            if new is not None and new != old and not _same_at_start(place.text, old, new):
                made = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, place.text)
                found.setdefault((old, new), []).append((place, made))
    for (old, new), changed in found.items():
        for one in changed:
            yield f'Write "{new}", not "{old}"', with_texts([one])
        if len(changed) > 1:
            yield f'Write "{new}", not "{old}", everywhere', with_texts(changed)


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    """The letters of up to three neighbouring words, which a hyphen or a blank may part, and how these stand there."""
    words = list(_WORDS.finditer(text))
    for count in range(_LONGEST, 0, -1):
        for k in range(len(words) - count + 1):
            run = words[k : k + count]
            letters = "".join(word.group() for word in run).lower()
            joined = all(text[a.end() : b.start()] in ("", "-", " ") for a, b in pairwise(run))
            if len(letters) >= _SHORTEST and joined:
                yield letters, text[run[0].start() : run[-1].end()]


def _with_capital(new: str, old: str) -> str:
    """The words with the capital that a sentence begins with, where it is about what stands between them."""
    parted = len(re.findall(r"[ -]", new)) != len(re.findall(r"[ -]", old))
    return new[0].upper() + new[1:] if parted and old[0].isupper() and old[1:].islower() else new


def _same_at_start(text: str, old: str, new: str) -> bool:
    """Whether one differs from the other by the capital alone that a sentence begins with."""
    return old[0] != new[0] and old[1:] == new[1:] and text.lstrip(" \"'#").startswith(old)


RESPELL = Refactoring("respell", "refactor.rewrite.respell", _propose)
