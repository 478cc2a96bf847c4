"""Instructions for what the selected lines clearly do not have yet: nobody who gives one is told that nothing is left to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.premises.docstrings import docstrings
from copydesk.refactorings.premises.missing import selected_text

_ANOTHER_WISH = re.compile(
    r"\b(?:no|not|never|without|instead|rather|drop|remove|delete|unneeded|needless|unnecessary|redundant|pointless|rid|stop|less|"
    r"skip|avoid|over|already|only|move|replace|change|keep|out|why)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words of who wants less, or something else than what is there."""
_ADDED = r"(?:add|put|insert|write|want|needs?|give (?:it|this|me))"
_NO_VERB = r"(?! (?:is|was|isn|statement|function|call|level|file|message|line|format)s?\b)"
_PRINT = re.compile(
    rf"^(?:also |please |just )*(?:debug[- ]?)?print\b{_NO_VERB}"
    rf"|\b{_ADDED} (?:an? |some )?(?:debug(?:ging)? )?prints?\b"
)
_LOG = re.compile(
    rf"^(?:also |please |and |just )*(?:log|warn)\b{_NO_VERB}"
    rf"|\b{_ADDED} (?:an? |some )?(?:debug |info |warning )?(?:log(?:ging)?|warning)\b(?! message)"
)
_DOCSTRING = re.compile(
    rf"\b{_ADDED} (?:an? |the |some )?(?:\w+ )?(?:doc ?strings?|docs)\b|\bmissing (?:a )?doc ?string"
    r"|\bdoc ?string (?:is )?missing"
)
_REPORTED = re.compile(r"\b(?:log\w*|warn\w*|print|echo)\b[\w.]*\(", re.IGNORECASE)
_MENTION = re.compile(
    r"\b(?:include|mention|add|put|show|tell|name|print|say|report|give)(?: us)? (?:the |its |a )?(?:actual |given |current )?"
    r"`?([^\W\d]\w*)`? (?:in|to|into|that|with) (?:the |that |this |its )?(?:error|message|log|exception|warning|text|was|were)\b"
)
_MESSAGE = re.compile(r"(?!\s*(?:if|elif|while)\b).*(?:\braise\b|\(.*['\"])")
"""A line that may say something to a person."""

_UNUSED = re.compile(
    r"\b([^\W\d]\w*)`? (?:(?:is|are)(?:n['’]t| not)|['’]s not) (?:really )?(?:used|needed|necessary|required)\b"
)
_REMOVE_IT = re.compile(r"\b(?:remove|drop|delete) (?:it|this|that)[.!]?$")
"""What is said of something that stands there still."""


def undone(context: RefactoringContext, instruction: str) -> bool:
    """Whether an instruction asks for a print, a log entry, a docstring or a value in a message, and there is none, or for
    something to go that is there.
    """
    said = instruction.strip().lower()
    return _is_there(context, said) or (_ANOTHER_WISH.search(said) is None and any(_lacks(context, said)))


def _is_there(context: RefactoringContext, said: str) -> bool:
    text = context.derived(selected_text).lower()
    unused = (re.search(rf"\b{re.escape(name)}\b", text) for name in _UNUSED.findall(said))
    return _REMOVE_IT.search(said) is not None or any(unused)


def _lacks(context: RefactoringContext, said: str) -> Iterator[bool]:
    text = context.derived(selected_text)
    yield bool(_PRINT.search(said)) and "print(" not in text
    yield bool(_LOG.search(said)) and not _REPORTED.search(text)
    yield (
        bool(_DOCSTRING.search(said))
        and '"""' not in text
        and "'''" not in text
        and not any(docstrings(context))
    )
    messages = [line for number in context.numbers() if _MESSAGE.match(line := context.lines[number - 1])]
    for found in _MENTION.finditer(said) if messages else ():
        name = re.compile(re.escape(found[1]), re.IGNORECASE)
        yield name.search(text) is not None and not any(name.search(line) for line in messages)
