"""One word or number for another in all the selection: in code, comments and texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, merged, replace_lines

_PAIR = re.compile(
    r"(?<![\w.])[`\"']?([\w.%+-]+)[`\"']?(?: *(?:->|→|=>) *| (?:to|by|with|into|becomes?|should be|must be) )[`\"']?([\w.%+-]+)"
)
_INSTEAD = re.compile(
    r"(?<![\w.])[`\"']?([\w.%+-]+)[`\"']? (?:instead of|rather than|in place of|not) [`\"']?([\w.%+-]+)"
)
_MOST = 3


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    text = arguments.instruction
    pairs = [(old, new) for old, new in _PAIR.findall(text)]
    pairs += [(old, new) for new, old in _INSTEAD.findall(text)]
    for old, new in list(dict.fromkeys((a.rstrip("."), b.rstrip(".")) for a, b in pairs))[:_MOST]:
        if old and new and old != new:
            yield f'Write "{new}" for "{old}" everywhere, in code and texts', _everywhere(context, old, new)


def _everywhere(context: RefactoringContext, old: str, new: str) -> Edits | None:
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w|\.\d)")
    found: list[Edits] = []
    for number in context.numbers():
        (line,) = context.view(number, number)
        made = word.sub(lambda _: new, line)
        if made != line:
            found.append(replace_lines(number, number, [made]))
    return merged(*found) if len(found) > 1 else None


REPLACE_EVERYWHERE = Refactoring("replace_everywhere", "refactor.rewrite.replaceEverywhere", _propose)
