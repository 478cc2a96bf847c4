"""Words of a text put in quotes, backticks or brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.texts.text_lines import TextLine, quotes_of, text_lines, with_texts

_SIGNS = (
    (r"double back-?ticks|two back-?ticks", "``", "``", "double backticks"),
    (r"back-?ticks?|back-?quotes?", "`", "`", "backticks"),
    (r"single quotes?|apostrophes", "'", "'", "single quotes"),
    (r"double quotes?", '"', '"', "double quotes"),
    (r"quotes|quotation marks|quoted", "'", "'", "quotes"),
    (r"square brackets", "[", "]", "square brackets"),
    (r"angle brackets", "<", ">", "angle brackets"),
    (r"parens|parenthes[ei]s|brackets", "(", ")", "brackets"),
    (r"asterisks?|stars?", "*", "*", "stars"),
)
"""What people call them, what stands before and behind, and a name for both."""
_BEHIND = re.compile(r"\b(?:a?round|about)\b (?:the |a |an )?(?:word |name |value )?")
_BEFORE = re.compile(
    r"(?:^|\b(?:put|quote|wrap|write|set|enclose|surround) )(?:the |a )?(?:word |name )?(.+?)"
    r"(?:,? (?:should (?:be|go|stand)|needs? to be|must be|goes|belongs|with|in(?:to|side)?|between|needs?|deserves?)\b)"
)
_LONGEST = 6
"""Words that are put in quotes."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    said = arguments.instruction
    signs = next((sign for sign in _SIGNS if re.search(rf"\b(?:{sign[0]})\b", said, re.IGNORECASE)), None)
    if signs is None:
        return
    _, opening, closing, name = signs
    places = text_lines(context)
    phrases = list(dict.fromkeys(_phrases(said)))
    for phrase in phrases:
        word = re.compile(
            rf"(?<![\w.`'\"]){re.escape(phrase)}(?![\w`'\"])|(?:\\?\"|'|``?){re.escape(phrase)}(?:\\?\"|'|``?)"
        )
        changed: list[tuple[TextLine, str]] = []
        for place in places:
            around, _ = quotes_of(place.text)
            if around and opening[0] in around and len(around) == 1:
                continue  # it would end the string
            begin = len(place.text) - len(place.text.lstrip("rRbBuUfF")) + len(around)
            inner = place.text[begin : len(place.text) - len(around)]
            if inner == phrase and around:
                continue  # a value, and no text with it
            made = word.sub(f"{opening}{phrase}{closing}", inner)
            if made != inner:
                changed.append(
                    (place, place.text[:begin] + made + place.text[len(place.text) - len(around) :])
                )
        for one in changed[:3]:
            yield f'Put "{phrase}" in {name}: {opening}{phrase}{closing}', with_texts([one])
        if len(changed) > 1:
            yield f'Put "{phrase}" in {name} everywhere: {opening}{phrase}{closing}', with_texts(changed)
        if changed:
            return  # the longest one


def _phrases(said: str) -> Iterator[str]:
    """What may be meant, the longest first."""
    spans = [found[0] or found[1] for found in re.findall(r"\"([^\"]+)\"|`([^`]+)`", said)]
    yield from (span for span in spans if span.strip())
    tails = [said[found.end() :] for found in _BEHIND.finditer(said)]
    heads = [found[1] for found in _BEFORE.finditer(said)]
    for words in (text.split() for text in (*heads, *tails)):
        for count in range(min(_LONGEST, len(words)), 0, -1):
            phrase = " ".join(words[:count]).strip(".,;:!?\"'`")
            if len(phrase) > 1:
                yield phrase


PUT_ROUND = Refactoring("put_round", "refactor.rewrite.putRound", _propose)
