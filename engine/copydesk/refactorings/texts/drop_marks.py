"""Signs of a text left out: an exclamation mark, backticks, a stray dot."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.spoken import SIGNS
from copydesk.refactorings.texts.text_lines import (
    TextLine,
    quotes_of,
    texts_meant,
    with_fields,
    with_texts,
    without_fields,
)

_SIGNS = {
    **{sign: words for sign, words in SIGNS.items() if sign and sign.isprintable()},
    ".": f"{SIGNS['.']} stop",
    " ": f"{SIGNS[' ']} trailing leading",
    "!": "exclamation shout shouting excited",
    "`": "backtick backticks rst markup quotes",
    "'": "quote quotes apostrophe",
    "?": "question",
    "(": "paren parens parentheses bracket brackets",
    ")": "paren parens parentheses bracket brackets",
    "...": "ellipsis dots",
}
"""Signs, and words for them."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    signs = [
        sign
        for sign, words in _SIGNS.items()
        if arguments.words & set(words.split())
        or (sign.strip() and f" {sign} " in f" {arguments.instruction} ")
    ]
    all_of: dict[str, list[tuple[TextLine, str]]] = {}
    for place in texts_meant(context, arguments.words) if signs else ():
        shown, fields = without_fields(place.text)
        opening, text = quotes_of(shown)
        inner = text[len(opening) : len(text) - len(opening)] if opening else text
        for sign in signs:
            if sign not in inner:
                continue
            name = "blank" if sign == " " else sign
            if sign == "/":  # the blank before it in `<br />` goes, too
                inner_tags = inner.replace(" />", "/>")
                shown, inner = shown.replace(inner, inner_tags, 1), inner_tags
            made = {
                f"Drop every {name} from the text": inner.replace(sign, ""),
                f"Drop the last {name} from the text": "".join(inner.rsplit(sign, 1)),
                f"Drop the first {name} from the text": inner.replace(sign, "", 1),
                f"Drop {name} at the end of the text": inner.rstrip(sign),
            }
            for title, new in made.items():
                if new != inner and new.strip():
                    whole = shown.replace(inner, new, 1)
                    changed = place, with_fields(whole, fields)
                    yield title, with_texts([changed])
                    all_of.setdefault(title, []).append(changed)
    for title, every in all_of.items():
        if len(every) > 1 and title.startswith("Drop every"):
            yield f"{title.removesuffix(' from the text')} from all texts, everywhere", with_texts(every)


DROP_MARKS = Refactoring("drop_marks", "refactor.rewrite.dropMarks", _propose)
