"""A body of several lines that stands where its head does: its first lines, moved to where a body belongs.

How many of the lines are the body cannot be seen: every number of them that parses is offered, beside the changes of one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, candidates_of
from copydesk.quickfixes.handlers.syntax_error import syntax_repairs
from copydesk.quickfixes.kinds import DiagnosticKind
from copydesk.quickfixes.messages import SyntaxHint, syntax_hints
from copydesk.syntax.fragment import Fragment, fragment_at
from copydesk.text.document import content, indentation
from copydesk.text.line_edit import LineEdit

MOST_LINES = 6
"""More lines are not moved together."""
NEAR = 12
"""Lines above and below that show how deep a body stands."""

_TRIPLE = re.compile(r"\"{3}|'{3}")


class MissingIndent(Handler):
    """The moves of a run of lines, and whatever change of one line may be the answer instead; none where only one line can be
    meant.
    """

    kinds = frozenset({DiagnosticKind.SYNTAX_ERROR})

    def candidates(self, context: FixContext) -> Candidates | None:
        return candidates_of((edit,) for edit in _moved(context))


def _moved(context: FixContext) -> list[LineEdit]:
    diagnostic, lines = context.diagnostic, context.lines
    at = diagnostic.start.line
    if SyntaxHint.MISSING_BODY not in syntax_hints(diagnostic.message) or not lines[at].strip():
        return []
    fragment = fragment_at(lines, at, MOST_LINES)
    if fragment is None or fragment.parses():
        return []
    runs = [
        LineEdit(at + 1, last + 1, "".join(f"{text}\n" for text in texts))
        for last, texts in _runs(lines, at, fragment)
        if fragment.parses(at, "\n".join(texts), len(texts))
    ]
    if not runs:
        return []
    singles = [LineEdit(number, number, f"{text}\n") for number, text in syntax_repairs(context)]
    return list(dict.fromkeys((*singles, *runs)))


def _runs(lines: Sequence[str], at: int, fragment: Fragment) -> Iterator[tuple[int, list[str]]]:
    """Two lines and more from line `at` (0-based) on, each moved: the last one's number, and how they are written then."""
    above = next((k for k in range(at - 1, -1, -1) if _is_code(lines[k])), None)
    if above is None:
        return
    head, old = indentation(lines[above]), indentation(lines[at])
    if not content(lines[above]).rstrip().endswith(":") and "#" not in lines[above]:
        head = min((head, old), key=len)  # the head is longer than a line
    last = at
    while last + 1 < fragment.stop and last - at < MOST_LINES - 1:
        line = content(lines[last + 1])
        if not line.strip() or not line.startswith(old) or any(map(_cut_off, (lines[last], line))):
            break
        last += 1
        for depth in _depths(lines, at, last, head):
            if depth != old:
                yield last, [depth + content(text)[len(old) :] for text in lines[at : last + 1]]


def _depths(lines: Sequence[str], at: int, last: int, head: str) -> list[str]:
    """Where a body under a head at `head` may stand: where its other lines do, else one step deeper."""
    behind = next((line for line in lines[last + 1 : last + 1 + NEAR] if _is_code(line)), "")
    other = indentation(behind)
    if len(other) > len(head) and other.startswith(head):
        return [other]
    near = [indentation(line) for line in lines[max(0, at - NEAR) : last + NEAR] if line.strip()]
    if any("\t" in depth for depth in near):
        return [f"{head}\t"]
    narrow = any(len(depth) % 4 == 2 for depth in near)
    return [f"{head}    ", f"{head}  "] if narrow else [f"{head}    "]


def _cut_off(line: str) -> bool:
    """Whether a text of several lines begins or ends on it: what is inside stays where it is."""
    return len(_TRIPLE.findall(line)) % 2 == 1


def _is_code(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith("#")
