"""Other words in a comment, a docstring or a message."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_places import text_places


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    texts = [text for text in arguments.texts if '"' not in text and "\\" not in text]
    for place in text_places(context):
        for old in arguments.texts:
            found = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", place.text)
            for new in texts if found is not None and old != place.text else ():
                assert found is not None
                title = f'Replace "{old}" by "{new}" in "{place.text}"'
                yield title, place.replaced(context, *found.span(), new)
        for new in texts:
            yield f'Say "{new}" instead of "{place.text}"', place.replaced(context, 0, len(place.text), new)


REWORD_TEXT = Refactoring("reword_text", "refactor.rewrite.rewordText", _propose)
