"""How instructions are worded, as far as they have a form: what all readers of them share.

A reader names the words it knows, slots and fillers; one word more that nobody knows, and the instruction is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits

Rule: TypeAlias = Callable[[RefactoringContext], Edits | None]
"""A refactoring with its arguments: what an instruction makes of the lines it is about; None where it leaves something open."""

_BEFORE = re.compile(
    r"^(?:please|pls|plz|kindly|hey|ok|just|(?:can|could|would|will) (?:you|u)(?: please)?|i(?:'d| would) like (?:you )?to|"
    r"i(?: want| need) (?:you )?to|i want|let'?s|we should)[,:]? +",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"(?:[, ]+(?:please|pls|plz|thanks|thank you|thx|instead|here|now)|[.!?;]+)$", re.IGNORECASE
)
_PLACE = re.compile(
    r",? (?:(?:everywhere|throughout),? ?)?(?:in|from|of|on|out of|inside|throughout|to|for) (?:this|the) "
    r"(?:function|method|class|selection|code|block|file)$|,? (?:everywhere|throughout)$",
    re.IGNORECASE,
)
_NO_NAME = r"(?!(?:it|this|that|these|them|everything|all|every|the|something|anything|whatever)\b)"


def plain(instruction: str) -> str:
    """Without backticks, manners and where it is meant: in what is selected, in any case."""
    text = " ".join(instruction.replace("`", "").split())
    while (less := _PLACE.sub("", _BEHIND.sub("", _BEFORE.sub("", text)))) != text:
        text = less
    return text


def quoted(instruction: str) -> frozenset[str]:
    """The words in backticks or quotes, each alone."""
    return frozenset(word for _, word in re.findall(r"([`'\"])(\w+)\1", instruction))


def name(group: str) -> str:
    """An identifier, quoted or not; words that stand for others are none."""
    return rf"(?:{_NO_NAME}|(?=['\"]))['\"]?(?P<{group}>[^\W\d]\w*)['\"]?"


def code(group: str) -> str:
    """A piece of code; `expression` and `annotation` say whether it is one."""
    return rf"(?P<{group}>.+?)"


def some(words: str) -> str:
    """Any number of these words, each with a space behind it."""
    return rf"(?:(?:{'|'.join(words.split())})[,:]? )*"


def wordings(*patterns: str) -> list[re.Pattern[str]]:
    """Whole instructions, as `plain` leaves them."""
    return [re.compile(rf"^{pattern}$", re.IGNORECASE) for pattern in patterns]


def first_match(patterns: Iterable[re.Pattern[str]], instruction: str) -> re.Match[str] | None:
    """What the first of them reads."""
    return next((found for pattern in patterns if (found := pattern.match(instruction))), None)


def only(instruction: str, needed: str, known: str) -> bool:
    """Whether it has a word of `needed`, and besides these none that is not `known`."""
    words = set(re.findall(r"[^\s,;:()]+", instruction.lower()))
    return bool(words & set(needed.split())) and words <= {*needed.split(), *known.split()}
