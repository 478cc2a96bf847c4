"""One blank between the words of a text, where there are several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import text_lines, with_texts

_SEVERAL = re.compile(r"(?<=\S) {2,}(?=\S)")
_WORDS = frozenset({"space", "spaces", "blank", "blanks", "whitespace", "double", "spacing"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places = text_lines(context) if arguments.words & _WORDS else []
    changed = [(place, made) for place in places if (made := _SEVERAL.sub(" ", place.text)) != place.text]
    for one in changed:
        yield "One space, no double blank", with_texts([one])
    if len(changed) > 1:
        yield "One space, no double blanks, everywhere", with_texts(changed)


SINGLE_BLANKS = Refactoring("single_blanks", "refactor.rewrite.singleBlanks", _propose)
