"""What a refactoring offers: an edit with a title, and the refactoring that offers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Literal, TypeAlias

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, combined
from copydesk.refactorings.validity import still_parses
from copydesk.text.line_edit import LineEdit

_MOST_PLACES = 10
"""Places that are changed at once."""
Proposal: TypeAlias = tuple[str, Edits | None]
"""A title, and the edits; None or none where the refactoring does not apply after all."""
Propose: TypeAlias = Callable[[RefactoringContext, Arguments], Iterator[Proposal]]

Menu: TypeAlias = Literal["never", "selection", "cursor"]
"""Whether a refactoring is offered in a menu, where nobody says what is meant. never: it needs a word of an instruction,
changes what callers rely on, or is what any editor does (a line deleted, commented out, moved). selection: for selected lines
alone, since it changes all of a kind in them. cursor: at a bare cursor, too.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One edit that could be made. title: says what happens (`Inline variable "x"`). edits: lines apart, from the top down.
    score: how well it goes with the instruction (`ranking`), as a logit; 0 before that is known.
    """

    title: str
    edits: Edits
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Refactoring:
    """A named transform of Python code. kind: its code action kind in LSP (`refactor.inline`). menu: where it is offered
    without an instruction. offer: the edits that are offered there, if not all; they can be asked for, too. everywhere: whether
    what it does in one place can be asked for in all of them, at once.
    """

    name: str
    kind: str
    propose: Propose
    menu: Menu = "never"
    offer: Propose | None = None
    everywhere: bool = False

    def candidates(self, context: RefactoringContext, arguments: Arguments) -> Iterator[Candidate]:
        """Every edit it could make inside the selection, as far as the result parses and differs; none twice."""
        return (one for one in self.proposals(context, arguments) if still_parses(context, one.edits))

    def offers(self, context: RefactoringContext) -> Iterator[Candidate]:
        """The candidates that a menu offers, where nobody says what is meant."""
        offered = replace(self, propose=self.offer, offer=None) if self.offer else self
        return offered.candidates(context, Arguments())

    def proposals(self, context: RefactoringContext, arguments: Arguments) -> Iterator[Candidate]:
        """The candidates, and perhaps edits whose result does not parse."""
        sources = [self.offer, self.propose] if self.offer else [self.propose]
        seen: set[Edits] = set()
        alike: dict[str, list[Edits]] = {}
        for title, edits in chain.from_iterable(source(context, arguments) for source in sources):
            edits = _without_double_blanks(context, edits) if edits else edits
            if edits and edits not in seen:
                seen.add(edits)
                if context.allows(edits) and context.changes(edits):
                    yield Candidate(title, edits)
                    if self.everywhere:
                        alike.setdefault(title.partition(": ")[0], []).append(edits)
        for title, parts in alike.items():
            together = combined(context.lines, parts) if 1 < len(parts) <= _MOST_PLACES else None
            if together and together not in seen:
                seen.add(together)
                yield Candidate(f"{title} in all places", together)


def _without_double_blanks(context: RefactoringContext, edits: Edits) -> Edits:
    """Where whole lines go that stand between blank ones, as many of the blank ones below go as there are above; all of them at
    the start of a block.
    """
    made: list[LineEdit] = []
    first = 0  # of the lines in a row that go
    for edit, after in zip_longest(edits, edits[1:]):
        gone = not edit.text and edit.last >= edit.first
        if not gone or not any(line.strip() for line in context.view(edit.first, edit.last)):
            made.append(edit)
            first = 0
            continue
        first = first or edit.first
        if after is not None and after.first == edit.last + 1 and not after.text:
            made.append(edit)
            continue
        above, below = _blank_run(context, first - 1, -1), _blank_run(context, edit.last + 1, 1)
        if first == 1 or not context.lines[first - 2].rstrip().endswith(":"):
            below = min(above, below)
        last = edit.last + below
        free = after is None or last < after.first
        made.append(replace(edit, last=last) if below and free and context.shows(edit.first, last) else edit)
        first = 0
    return tuple(made)


def _blank_run(context: RefactoringContext, line: int, step: int) -> int:
    """How many blank lines there are from a line on, up or down."""
    count = 0
    while 0 < line <= len(context.lines) and not context.lines[line - 1].strip():
        count, line = count + 1, line + step
    return count
