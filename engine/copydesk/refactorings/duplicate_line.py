"""A line once more, with another name in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines

_ASKED = frozenset({
    "duplicate", "copy", "same", "like", "also", "too", "another", "likewise", "similarly", "add", "second", "both", "well",
})  # fmt: skip
"""Words of an instruction that asks for one more of something."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _ASKED and not any("_" in name or name.isupper() for name in arguments.names):
        return
    for number in context.numbers():
        (line,) = context.view(number, number)
        for old in dict.fromkeys(re.findall(r"[^\W\d]\w*", line)) if line.endswith("\n") else ():
            word = re.compile(rf"(?<!\w){old}(?!\w)")
            target = re.match(rf"[\w.]*\b{old}\b(?: =|\")", line.strip(" \"'")) is not None
            if len(word.findall(line)) != 1 or not (target or arguments.mentions(old)):
                continue
            for new in arguments.names:
                if new != old:
                    title = f'Duplicate line {number} with "{new}" for "{old}"'
                    yield title, insert_lines(number + 1, [word.sub(new, line)])


DUPLICATE_LINE = Refactoring("duplicate_line", "refactor.rewrite.duplicateLine", _propose)
