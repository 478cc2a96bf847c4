"""A line once more, with another name in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines

_WORD = re.compile(r"[^\W\d]\w*")
_TARGET = re.compile(r"([\w.]+)(?: =|\")")
_ASKED = frozenset({
    "duplicate", "copy", "same", "like", "also", "too", "another", "likewise", "similarly", "add", "second", "both", "well",
})  # fmt: skip
"""Words of an instruction that asks for one more of something."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _ASKED and not any("_" in name or name.isupper() for name in arguments.names):
        return
    for number in context.numbers():
        (line,) = context.view(number, number)
        for old, count in Counter(_WORD.findall(line)).items() if line.endswith("\n") else ():
            if count != 1 or not (_is_target(line, old) or arguments.mentions(old)):
                continue
            word = re.compile(rf"(?<!\w){old}(?!\w)")
            for new in arguments.names:
                if new != old:
                    title = f'Duplicate line {number} with "{new}" for "{old}"'
                    yield title, insert_lines(number + 1, [word.sub(new, line)])


def _is_target(line: str, name: str) -> bool:
    """Whether the line gives something to what ends with this name, or begins with it as a text."""
    found = _TARGET.match(line.strip(" \"'"))
    return found is not None and name in _WORD.findall(found[1])[-1:]


DUPLICATE_LINE = Refactoring("duplicate_line", "refactor.rewrite.duplicateLine", _propose)
