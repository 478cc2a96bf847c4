"""Wishes about the shape of code: branches swapped, a guard in place of nesting, lines in a try block."""

from __future__ import annotations

import re
from functools import partial

from copydesk.refactorings.control_flow.guard_clauses import return_early
from copydesk.refactorings.control_flow.invert_if import invert_the_if
from copydesk.refactorings.errors.wrap_in_try import wrap_in_try
from copydesk.refactorings.phrases.words import Rule, first_match, only, wordings

_IFS = (
    "the if else if/else if-else condition branch branches bodies blocks and by two statement its test around that of "
    "negating inverting swapping switched swapped accordingly behaviour behavior same unchanged"
)
_SWAPS = re.compile(
    r"\b(?:invert|flip|reverse|swap|switch|turn)\b.*\bif\b|\b(?:swap|switch)\w*\b.*\b(?:branch\w*|bodies|blocks|else)\b",
    re.IGNORECASE,
)
"""A condition that is turned alone makes other code of it."""
_GUARD = (
    "use an a early return returns to reduce the nesting with turn if into guard clause instead of and invert condition "
    "flatten this function"
)
_ERROR, _ACTION = r"(?P<error>[A-Z]\w*)", r"(?P<action>[a-z][\w -]*?)"
_FAILS = r"(?:,? (?:if it fails|on (?:an )?error|on failure|in that case|in the except|in except|then|if it'?s raised))?"
_THIS = r"(?:the line )?(?P<what>this|here|.+?)"
_TRIES = r"(?:try/except|try / except|try, except|try except|try ?\.\.\. ?except)"
_TRY = wordings(
    rf"(?:wrap|surround|enclose|put) (?:{_THIS} )?(?:in|with|by) (?:a )?{_TRIES} {_ERROR}(?:,|:| and) {_ACTION}{_FAILS}",
    rf"wrap {_THIS} in a try block[;,] on {_ERROR} {_ACTION}",
    rf"wrap {_THIS} in a try block that {_ACTION} on {_ERROR}",
    rf"catch {_ERROR} (?:(?:round|around|at|from|in) )?{_THIS} and {_ACTION}{_FAILS}",
    rf"handle {_ERROR}(?: (?:from|in) {_THIS})?(?: with a {_TRIES})?(?:: | that ){_ACTION}",
    rf"(?:put|add) (?:a )?{_TRIES} {_ERROR} (?:just )?(?:round|around|for) {_THIS}[,;] (?:and )?(?:on error )?{_ACTION}{_FAILS}",
    rf"add error handling for {_ERROR}: {_ACTION}",
    rf"if {_THIS} raises {_ERROR}, {_ACTION}",
    rf"{_THIS} should be in a try; on {_ERROR} {_ACTION}",
)
_ACTIONS = {
    "pass": "pass", "ignore it": "pass", "do nothing": "pass", "ignore the error": "pass", "return": "return",
    "just return": "return", "return none": "return None", "return false": "return False", "continue": "continue",
    "go on with the next": "continue", "raise": "raise", "re-raise": "raise", "raise it again": "raise",
}  # fmt: skip


def shape_rule(instruction: str) -> Rule | None:
    """Reads a wish for another shape."""
    if only(instruction, "invert flip swap negate reverse switch turn", _IFS) and _SWAPS.search(instruction):
        return invert_the_if
    if only(instruction, "early guard flatten", _GUARD):
        return return_early
    found = first_match(_TRY, instruction)
    action = (
        _ACTIONS.get(re.sub(r"^return(?:s|ing)\b", "return", found["action"].strip().lower()))
        if found is not None
        else None
    )
    if found is None or action is None:
        return None
    what = found.groupdict().get("what") or "this"
    return partial(wrap_in_try, None if what.lower() in ("this", "here") else what, found["error"], action)
