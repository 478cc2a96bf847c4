"""What a refactoring offers: an edit with a title, and the refactoring that offers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, combined
from copydesk.refactorings.validity import still_parses

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
