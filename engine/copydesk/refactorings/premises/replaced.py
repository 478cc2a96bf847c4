"""Instructions to put one name or number in the place of another, or to take one away, where that has been done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.premises.missing import selected_text

_WORD = r"[`'\"]?(?P<%s>@?[^\W\d][\w.]*(?:\(\))?)[`'\"]?"
_OLD, _NEW = _WORD % "old", _WORD % "new"
_END = r"(?: (?:here|please|too|everywhere|throughout))?[.!]?$"
_PLEASE = r"^(?:please )?"
_RENAMED = r"(?:local |loop )?(?:variable|parameter|argument|param|arg|function|method|attribute|class|name)"
_SWAPS = [
    re.compile(pattern + _END, re.IGNORECASE)
    for pattern in (
        rf"{_PLEASE}rename (?:the )?(?:{_RENAMED} )?{_OLD} (?:to|as|into|->) {_NEW}",
        rf"^(?:the )?{_OLD} should be (?:called |named |renamed to )?{_NEW}",
        rf"{_PLEASE}call (?:the )?{_OLD} {_NEW}",
        rf"^{_OLD} ?(?:->|=>|→) ?{_NEW}",
        rf"^{_NEW}(?: instead of| rather than|, not) {_OLD}",
        rf"{_PLEASE}(?:use|call|say|write) {_NEW}(?: instead of| rather than| for|, not) (?:the )?{_OLD}",
        rf"^{_OLD} is (?:a )?(?:bad|poor|confusing|misleading|unclear)[\w ]*[,:;] "
        rf"(?:rename (?:it )?(?:to )?|call it |make it |use )?{_NEW}",
    )
]
"""An old name and the new one. What stands in neither place in these lines any more, and does in the other, has been replaced."""
_KIND = r"(?:parameter|argument|param|arg|variable|import|decorator|keyword|attribute|call|kwarg)"
_SPARE = r"(?:unused |superfluous |redundant |old )?"
_REMOVALS = [
    re.compile(rf"{_PLEASE}(?:remove|drop|delete|get rid of) (?:the )?{_SPARE}{rest}{_END}", re.IGNORECASE)
    for rest in (rf"{_OLD} {_KIND}", rf"(?:{_KIND}|call (?:to|of)) {_OLD}")
]
_NUMBER = re.compile(
    rf"{_PLEASE}(?:use )?(?P<new>-?\d[\w.]*)(?: instead of| rather than|, not| not) (?P<old>-?\d[\w.]*){_END}",
    re.IGNORECASE,
)
_VALUE = r"(?P<value>-?[\d.]*\d|True|False|None|['\"][^'\"]*['\"])"
_VALUES = [
    re.compile(pattern + _END)
    for pattern in (
        rf"^(?:the )?{_OLD} (?:should be|must be|=|is) {_VALUE}",
        rf"{_PLEASE}(?:set|raise|lower|increase|decrease|change|bump|reduce) (?:the )?{_OLD} (?:to|=) {_VALUE}",
    )
]
_NO_NAMES = frozenset({
    "a", "add", "all", "an", "and", "annotate", "argument", "arguments", "both", "call", "check", "class", "comment",
    "comments", "default", "each", "else", "error", "errors", "everything", "first", "for", "function", "here", "if",
    "in", "instead", "is", "it", "last", "line", "lines", "loop", "message", "method", "name", "names", "none", "not",
    "one", "or", "parameter", "parameters", "raise", "result", "return", "second", "something", "string", "test", "text",
    "that", "the", "them", "there", "third", "this", "to", "type", "unused", "use", "value", "values", "variable",
    "while", "with",
})  # fmt: skip
"""Words that are said of code rather than stand in it."""


def replaced(context: RefactoringContext, instruction: str) -> str | None:
    """What is not there to be replaced or removed, or has its value."""
    text = context.derived(selected_text)
    return next(_found(text, instruction.strip()), None)


def _found(text: str, instruction: str) -> Iterator[str]:
    for swap in _SWAPS:
        found = swap.search(instruction)
        if found and _is_name(found["old"]) and _is_name(found["new"]):
            if _lacks(text, found["old"]) and re.search(rf"\b{_last(found['new'])}\b", text):
                yield f"{found['old']} is not in the selected lines"
    for removal in _REMOVALS:
        if (found := removal.search(instruction)) and _is_name(found["old"]) and _lacks(text, found["old"]):
            yield f"{found['old']} is not in the selected lines"
    if found := _NUMBER.search(instruction):
        old, new = (rf"(?<![\w.]){re.escape(found[group])}(?![\w.])" for group in ("old", "new"))
        if re.search(new, text) and not re.search(old, text):
            yield f"{found['old']} is not in the selected lines"
    for value in _VALUES:
        if (found := value.search(instruction)) and _is_name(found["old"]):
            assigned = rf"\b{_last(found['old'])}(?:: [\w\[\], |]+)? ?= ?{re.escape(found['value'])}(?![\w.])"
            if re.search(assigned, text):
                yield f"{found['old']} is {found['value']} already"


def _last(name: str) -> str:
    """The last part of a dotted name, or of a call of one, for a pattern."""
    return re.escape(name.strip("@()").rpartition(".")[2])


def _is_name(word: str) -> bool:
    return word.strip("@()").rpartition(".")[2].lower() not in _NO_NAMES


def _lacks(text: str, name: str) -> bool:
    return _last(name).strip("_").lower() not in text.lower()
