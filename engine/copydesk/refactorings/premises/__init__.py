"""What an instruction takes for granted of the selected lines, and where that is not so: then nothing is to be done.

"Replace the while loop" takes for granted that there is one, "add a docstring" that there is none. Whether an instruction does is
read from its form, by patterns that are made for being right where they match; most instructions match none. The model is told
by the prior of changing nothing, the person by the reason.
"""

from __future__ import annotations

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.phrases.words import plain
from copydesk.refactorings.premises.already import already_so
from copydesk.refactorings.premises.missing import missing
from copydesk.refactorings.premises.replaced import replaced

LONGEST = 120
"""Characters of an instruction that is read: a longer one asks for more than one thing."""


def false_premise(context: RefactoringContext, instruction: str) -> str | None:
    """Why an instruction leaves nothing to do in the selected lines, in words for a person; None where it is not known to."""
    if len(instruction) > LONGEST or "\n" in instruction.strip() or context.broken:
        return None
    return (
        missing(context, instruction)
        or replaced(context, instruction)
        or already_so(context, plain(instruction))
    )
