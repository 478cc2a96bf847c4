"""Wishes for no prints or comments."""

from __future__ import annotations

from copydesk.refactorings.phrases.words import Rule, first_match, some, wordings
from copydesk.refactorings.statements.remove_prints import remove_prints
from copydesk.refactorings.texts.remove_comments import remove_comments

_REMOVE = r"(?:remove|delete|drop|strip|kill|take out|clean up|clear out|get rid of|no)"
_ALL = some("all any every both of the these those my this that")
_PRINTS = wordings(
    rf"{_REMOVE} {_ALL}(?:debug(?:ging)? )?prints?(?:\(\))?(?: statements?| calls?| lines?)?",
    rf"{_REMOVE} {_ALL}debug(?:ging)? output",
    rf"take {_ALL}(?:debug(?:ging)? )?prints?(?: statements?| calls?)? out",
)
_COMMENTS = wordings(
    rf"{_REMOVE} {_ALL}(?:# )?comments?(?: in here)?",
    r"no comments(?: please)?, remove them",
    rf"take {_ALL}comments? out",
)


def removal_rule(instruction: str) -> Rule | None:
    """Reads a wish for less."""
    if first_match(_PRINTS, instruction):
        return remove_prints
    return remove_comments if first_match(_COMMENTS, instruction) else None
