"""One sign for another in a text: a full stop for a semicolon, quotes for backticks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import (
    TextLine,
    quotes_of,
    texts_meant,
    with_fields,
    with_texts,
    without_fields,
)

_SIGNS = {
    ".": ("full stop", r"full stops?|periods?|dots?"), ",": ("comma", "commas?"), ";": ("semicolon", "semi-?colons?"),
    ":": ("colon", "colons?"), "`": ("backtick", "(?:single )?back-?ticks?"), "``": ("double backtick", "double back-?ticks?"),
    "'": ("single quote", "single(?: quotes?| ones?)?|apostrophes?"), '"': ("double quote", "double(?: quotes?| ones?)?"),
    "!": ("exclamation mark", "exclamation(?: marks?| points?)?"), "?": ("question mark", "question(?: marks?)?"),
    "-": ("hyphen", "hyphens?|dash(?:es)?"), "_": ("underscore", "underscores?"), "/": ("slash", "slash(?:es)?"),
    " ": ("blank", "blanks?|spaces?"), "...": ("ellipsis", "ellips[ei]s|dots|three dots"),
    "…": ("ellipsis sign", "unicode ellipsis"),
}  # fmt: skip
"""Signs, what they are called, and what people call them."""
_NAMED = [
    (
        sign,
        re.compile(
            rf"\b(?:{words})\b|(?<![^\s`'\"]){re.escape(sign)}(?![^\s`'\",])"
            if sign.strip()
            else rf"\b(?:{words})\b"
        ),
    )
    for sign, (_, words) in _SIGNS.items()
]
_REVERSED = re.compile(r"\b(?:instead of|rather than|in place of|not|for|over)\b")
_ALL = frozenset({"all", "both", "every", "everywhere", "each", "throughout"})
_ENDS = ".!?"


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    pair = _pair(arguments.instruction.lower())
    if pair is None:
        return
    old, new = pair
    title = f'Write "{new}" instead of "{old}", {_SIGNS[new][0]}, not {_SIGNS[old][0]}'
    changed: list[tuple[TextLine, str]] = []
    for place in texts_meant(context, arguments.words):
        shown, fields = without_fields(place.text)
        quotes, whole = quotes_of(shown)
        start = shown.index(whole) + len(quotes)
        inner = shown[start : len(shown) - len(quotes)]
        if (quotes and new[0] in quotes) or (not quotes and not place.comment and new in ("'", '"')):
            inner = inner if len(quotes) == 3 else ""  # it would end the string
        if place.comment:
            opened = len(inner) - len(inner.lstrip("#"))
            start, inner = start + opened, inner[opened:]
        made = _swapped(inner, old, new)
        if made != inner:
            text = shown[:start] + made + shown[start + len(inner) :]
            changed.append((place, with_fields(text, fields)))
    if len(changed) > 1:
        yield f"{title}, everywhere", with_texts(changed)
    for one in changed if len(changed) == 1 or not arguments.words & _ALL else ():
        yield title, with_texts([one])


def _pair(instruction: str) -> tuple[str, str] | None:
    """The old sign and the new one that an instruction names; None where it does not name two."""
    found: dict[int, tuple[int, str]] = {}
    for sign, words in _NAMED:
        for match in words.finditer(instruction):
            if match.end() > found.get(match.start(), (0, ""))[0]:
                found[match.start()] = match.end(), sign
    order: list[tuple[int, int, str]] = []
    for start, (end, sign) in sorted(found.items()):
        if not order or start >= order[-1][1]:
            order.append((start, end, sign))
    signs = list(dict.fromkeys(sign for _, _, sign in order))
    if len(signs) != 2:
        return None
    second = next(start for start, _, sign in order if sign == signs[1])
    turned = _REVERSED.search(instruction[order[0][1] : second])
    return (signs[1], signs[0]) if turned else (signs[0], signs[1])


def _swapped(text: str, old: str, new: str) -> str:
    """The new sign for each of the old ones, none of an ellipsis or inside a word; a sentence begins with a capital."""
    sign = re.escape(old)
    if old == ".":
        sign = r"(?<!\.)\.(?![.\w])"
    elif old in (":", ",", ";"):
        sign = rf"{sign}(?=\s|$)"
    elif old == " ":
        sign = r"(?<=\S) (?=\S)"
    elif old == "`":
        sign = "(?<!`)`(?!`)"
    elif old == "'":
        sign = r"(?<!\w)'|'(?!\w)"

    def made(match: re.Match[str]) -> str:
        rest = match[1] or ""
        return new + (rest.upper() if new in _ENDS and old not in _ENDS else rest)

    return re.sub(rf"(?:{sign})( [a-z](?=[a-z ]))?", made, text)


SWAP_MARKS = Refactoring("swap_marks", "refactor.rewrite.swapMarks", _propose)
