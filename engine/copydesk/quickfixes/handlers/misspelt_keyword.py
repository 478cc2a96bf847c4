"""A misspelt keyword: the word near a syntax error that may be one, as each keyword.

Works on text alone, because the code does not parse.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, replaced
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.replacement import Replacement
from copydesk.quickfixes.similarity import closeness
from copydesk.text.document import content

_BUILTINS = tuple(name for name in dir(builtins) if not name.startswith("_"))
_KEYWORDS = tuple(word for word in keyword.kwlist if word[0].islower())
_WORD = re.compile(r"[^\W\d]\w*")


class MisspeltKeyword(Handler):
    """The line with each keyword in the place of the word that looks like one."""

    kinds = frozenset({DiagnosticKind.SYNTAX_ERROR})

    def candidates(self, context: FixContext) -> Candidates | None:
        return replaced(context, self.replacement(context))

    def replacement(self, context: FixContext) -> Replacement | None:
        return _misspelt(context.diagnostic.start.line, context.lines)


def _misspelt(at: int, lines: Sequence[str]) -> Replacement | None:
    """The word near a syntax error that may be a misspelt keyword: one that the document has nowhere else."""
    best: tuple[float, int, int, int] | None = None
    for line in (at, at - 1):
        if not 0 <= line < len(lines):
            continue
        for match in _WORD.finditer(re.sub(r"#.*", "", content(lines[line]))):
            word = match.group()
            if keyword.iskeyword(word) or word in _BUILTINS or len(word) < 2:
                continue
            likeness = max(closeness(word, good) for good in _KEYWORDS) - 0.05 * (line != at)
            if likeness >= 0.4 and (best is None or likeness > best[0]) and _once(word, lines):
                best = (likeness, line, *match.span())
    if best is None:
        return None
    _, line, start, end = best
    word = content(lines[line])[start:end]
    return Replacement(
        line + 1, start, end, tuple(sorted(_KEYWORDS, key=lambda good: -closeness(word, good)))
    )


def _once(word: str, lines: Sequence[str]) -> bool:
    whole = re.compile(rf"(?<!\w){word}(?!\w)")
    return sum(len(whole.findall(line)) for line in lines if word in line) == 1
