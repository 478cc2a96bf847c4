"""A word that a text has twice in a row: "the result of of a call"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import text_lines, with_texts

_TWICE = re.compile(r"(?<![\w.'-])([^\W\d_]+)( \1)(?![\w'-])", re.IGNORECASE)


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for place in text_lines(context):
        for found in _TWICE.finditer(place.text):
            once = place.text[: found.start(2)] + place.text[found.end(2) :]
            yield f'Write "{found[1]}" once, not twice: {found[0]}', with_texts([(place, once)])


DOUBLED_WORDS = Refactoring(
    "doubled_words", "refactor.rewrite.doubledWords", _propose, menu="cursor", everywhere=True
)
