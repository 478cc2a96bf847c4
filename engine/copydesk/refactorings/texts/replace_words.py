"""Words of a comment, a docstring or a message replaced by others of the instruction, or left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_stored
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.names.whole_variable import is_parameter
from copydesk.refactorings.texts.text_lines import (
    TextLine,
    texts_meant,
    with_fields,
    with_texts,
    without_fields,
)
from copydesk.syntax.tree import text_of

_BETWEEN = re.compile(
    r",?\s+should (?:be|read|say)\s+|,?\s+but (?:it's|it is|is|should be|means|it should be)\s+"
    r"|\s*(?:-+>|→|=>)\s*|\s+(?:to|into|by|with|as|is|be|read|say|becomes?|means|written|spelt|spelled|for)\s+|:\s+|,\s+|\?\s+|\s*(?:\.{3}|…)\s+"
)
_ITS = re.compile(r"^(?:it's|it is|that's|this is|it should be|should be)(?: (?:called|named))? ")
"""What stands before the right word: "it says down, it's bottom"."""
_INSTEAD = re.compile(r",?\s+(?:and not|instead of|in place of|rather than|not|for|over|where it says)(?=\s)")
_ENDS = re.compile(
    r"[,;!?]| (?:in|on|at|for|of|everywhere|please|instead|and|there|here|above|below)\b|\.$|\. "
)
_STRIPPED = " ()`\"'“”‘’.,:;!?"
_ASKED = re.compile(
    r"^(?:please |it |this |that |just |better |the (?:text|message|comment|docstring) )*"
    r"(?:(?:should |must )?(?:say|use|write|read|be|call it|put|says|reads)|i'd say|i'd write)?:? +|^.*: ",
    re.IGNORECASE,
)
"""How people ask for words, before these."""
_TWICE = re.compile(r"(\w+) \1", re.IGNORECASE)
"""A word that is there twice: one of them is to go."""
_POINTS = (",", ";", ":", ".")
_MOST, _FEW = 24, 3
"""Replacements of one instruction; words that are a wording as a whole."""
_SHORT = 4
"""Words of a text that stand whole before "not" and what is wrong."""
_OPENING = re.compile(r"\s*(?:#+ ?|[rRbBuUfF]*(?:\"{3}|'{3}|\"|'))?")
"""What stands before the words of a text."""
_MARKS = frozenset({
    "period", "stop", "dot", "full", "capital", "capitalize", "uppercase", "lowercase", "lower", "comma", "space", "colon",
    "exclamation", "mark", "punctuation", "upper", "sentence", "blank", "leading",
})  # fmt: skip
"""Words of an instruction about punctuation."""


_MERELY = re.compile(
    r"^(?:just|only|better|rather|simply|please|write|say|use|make it|make that|more like)[ :]+(?=\S)",
    re.IGNORECASE,
)
"""What stands before the words that are wanted."""
_ABOUT_TEXTS = frozenset({
    "text", "texts", "comment", "comments", "docstring", "docstrings", "doc", "docs", "message", "messages", "typo", "word",
    "says", "log", "error", "warning", "string", "spelling",
})  # fmt: skip
_STOPPED = ("Add a full stop, period", "Start with a capital, end with a period")
_STARTING = frozenset({"start", "starts", "begin", "begins", "prefix"})
"""Words of an instruction about what a text begins with."""


def replacements(text: str, places: Sequence[TextLine]) -> list[tuple[str, str]]:
    """What an instruction may want replaced, as it stands in the texts, and by what."""
    lower = [place.text.lower() for place in places]
    found: dict[tuple[str, str], None] = {}
    quotes = [
        q.strip()
        for pair in re.findall(r"\"([^\"]+)\"|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)", text)
        for q in pair
        if q
    ]
    for old in quotes:
        if any(old.lower() in line for line in lower):
            for new in quotes:
                if new != old:
                    found[old, new] = None
    for match in _INSTEAD.finditer(text):
        old = _known(text[match.end() :], lower, front=True)
        if old:
            before = text[: match.start()]
            short = (
                match[0].strip(" ,").startswith("not") and len(before.split()) <= _SHORT and "," not in before
            )
            for new in [_ITS.sub("", before.strip(_STRIPPED))] if short else _last_words(before):
                found[old, new] = None
    for match in _BETWEEN.finditer(text):
        old = _known(text[: match.start()], lower, front=False)
        if old:
            for new in _first_words(text[match.end() :]):
                found[old, new] = None
    joined = "\n".join(place.text for place in places)
    if re.search(r"\bhttps\b", text) and "http:" in joined:
        found["http", "https"] = None
    for word in re.findall(r"\d+(?:\.\d+)*|[^\W\d]\w*", text):
        for old in _respelt(word, joined):
            found[old, word] = None
    pairs = [pair for pair in found if pair[0] != pair[1]]
    # "eg." becomes "e.g.", and what ends in no full stop gets none.
    return [(old, new) for old, new in pairs if not (old.endswith(".") and (old, f"{new}.") in found)][:_MOST]


def _own_names(context: RefactoringContext) -> frozenset[str]:
    """What the selection gives a value or takes as a parameter."""
    return frozenset(text_of(n) for n in context.walk("identifier") if is_stored(n) or is_parameter(n))


def _respelt(word: str, joined: str) -> list[str]:
    """What a word of an instruction may stand for in texts that do not have it: the same in other letters, or another number."""
    if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", joined):
        return []
    if word[0].isdigit():
        like = "\\.".join(r"\d+" for _ in word.split("."))
        return list(dict.fromkeys(re.findall(rf"(?<![\w.]){like}(?![\w]|\.\d)", joined)))[:3]
    olds = {
        word.replace("_", " "),
        word.replace("_", ""),
        word.replace("_", "-"),
        word.lower(),
        word.capitalize(),
    } - {word}
    return (
        [old for old in sorted(olds) if re.search(rf"(?<!\w){re.escape(old)}(?!\w)", joined)]
        if len(word) > 2
        else []
    )


def _known(text: str, lower: Sequence[str], *, front: bool) -> str | None:
    """The longest run of words at one end of a text that the selection's texts have, with the marks round them if it has them."""
    words = text.split()
    for count in range(min(8, len(words)), 0, -1):
        whole = " ".join(words[:count] if front else words[-count:])
        for phrase in dict.fromkeys([whole.strip("`\"'“”‘’"), whole.strip(_STRIPPED)]):
            near = [line for line in lower if phrase.lower() in line] if len(phrase) > 1 else []
            if near and re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", "\n".join(near)):
                return phrase
    return None


def _first_words(text: str) -> list[str]:
    whole = _ITS.sub("", _MERELY.sub("", text.strip())).strip("`\"'“”")
    ends = [whole[: end.start()] for end in list(_ENDS.finditer(whole))[:3]]
    words = whole.split()
    some = [" ".join(words[:count]) for count in (1, 2)] if len(words) > _FEW else []
    return [
        one
        for one in dict.fromkeys(
            one.strip().strip("`\"'“”") for one in (*ends, whole, whole.rstrip("."), *some)
        )
        if one and not one.startswith(("->", "=>", "→"))
    ]


def _last_words(text: str) -> list[str]:
    """What may be wanted in place of what follows: all that is said before it if that is little, or else the last words."""
    said = _ASKED.sub("", text.strip())
    words = said.split()
    counts = (len(words),) if len(words) <= _FEW else (1, 2, 3)
    found = [" ".join(words[-count:]).strip(_STRIPPED) for count in counts if count]
    quoted = re.findall(r"[\"`']([^\"`']+)[\"`']$", text.strip())
    return list(dict.fromkeys(one for one in (*quoted, *found) if one))


def _cased(new: str, old: str) -> str:
    titled = old[:1].isupper() and not (len(old) > 1 and old.isupper())
    return new[:1].upper() + new[1:] if titled and new[:1].islower() else new


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    places = texts_meant(context, arguments.words)
    renamed = not arguments.words & _ABOUT_TEXTS or arguments.words & {"rename", "too", "also", "well"}
    own = _own_names(context) if renamed else frozenset()
    for old, new in replacements(arguments.instruction, places):
        if old in own and new.isidentifier() and new not in context.variables():
            continue  # the variable is to have another name, and its documentation with it
        word = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
        changed: list[tuple[TextLine, str]] = []
        for place in places:
            made = place.text
            for found in reversed(list(word.finditer(made))):
                if found[0].lower() == new.lower():
                    made = made[: found.start()] + new + made[found.end() :]
                    continue
                if _says_twice(made, found.span(), new):
                    continue
                start = found.start() - (
                    new.startswith(_POINTS)
                    and not found[0].startswith(_POINTS)
                    and made[: found.start()].endswith(" ")
                )
                made = made[:start] + _cased(new, found[0]) + made[found.end() :]
            if made != place.text:
                changed.append((place, made))
        coded = old[0].isdigit() and not arguments.words & {"comment", "comments"}
        coded = coded and any(not place.comment for place, _ in changed)
        field = re.compile(rf"\s*:\w+ {re.escape(old)}:", re.IGNORECASE)
        paired = all(field.match(place.text) for place, _ in changed)
        for one in changed[:3]:
            if len(changed) > 1 and (coded or paired):
                continue  # a number and the comment on it; what is said of one parameter
            yield f'Replace "{old}" by "{new}" in the text', with_texts([one])
        if len(changed) > 1:
            yield f'Replace "{old}" by "{new}" in all texts', with_texts(changed)


def _says_twice(text: str, span: tuple[int, int], new: str) -> bool:
    """Whether the new words would have one that stands right beside them already."""
    words = new.lower().split()
    before, behind = re.search(r"(\w{4,})\W*$", text[: span[0]]), re.match(r"\W*(\w{4,})", text[span[1] :])
    return len(words) > 1 and any(side is not None and side[1].lower() in words for side in (before, behind))


def _leave_out(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Words that the instruction names, taken out of a text; and what stands in brackets."""
    places = texts_meant(context, arguments.words)
    text = arguments.instruction
    gone = [
        q.strip()
        for pair in re.findall(r"\"([^\"]+)\"|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)", text)
        for q in pair
        if q
    ]
    words = text.split()
    lower = [place.text.lower() for place in places]
    for at in range(len(words)):
        phrase = _known(" ".join(words[at:]), lower, front=True)
        if phrase and len(phrase) > 3 and not _TWICE.fullmatch(phrase):
            gone.append(phrase)
    for place in places:
        text, kind = place.text.lower(), "comment" if place.comment else "text"
        for phrase in [one for one in dict.fromkeys(gone) if one.lower() in text][:12]:
            word = re.compile(rf"[ ,;]*(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE)
            for found in list(word.finditer(place.text))[1:3]:
                made = place.text[: found.start()] + place.text[found.end() :]
                yield f'Drop "{phrase}" from the {kind}, further on', with_texts([(place, made)])
            made = word.sub("", place.text, count=1)
            if made != place.text and made.strip(
                "# \"'"
            ):  # a whole comment goes with its line, a whole text with what has it
                yield f'Drop "{phrase}" from the {kind}', with_texts([(place, made)])
                opened = re.match(r"([\"']*|# ?) *([a-z])", made)
                if phrase[:1].isupper() and opened is not None:
                    capital = f"{opened[1]}{opened[2].upper()}{made[opened.end() :]}"
                    yield f'Drop "{phrase}" from the {kind}, a capital then', with_texts([(place, capital)])
                tail = re.sub(rf"[ ,;:.-]*(?<!\w){re.escape(phrase)}.*?(?=[\"']*$)", "", place.text, count=1)
                yield f'Drop "{phrase}" and what follows', with_texts([(place, tail)])
        for found in re.finditer(r" ?(\([^(){}]*\))(?![\w(])", place.text):
            made = place.text[: found.start()] + place.text[found.end() :]
            if made.strip("# \"'rbf"):
                yield f"Drop {found[1]}, what is in brackets, the parens", with_texts([(place, made)])


def _marks(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A full stop, a comma, a space, a capital letter: there or not."""
    if not arguments.words & _MARKS:
        return
    no_marks: list[tuple[TextLine, str]] = []
    for place in texts_meant(context, arguments.words):
        shown, fields = without_fields(place.text)
        found = re.fullmatch(
            r"(\s*(?:#+ ?|[rRbBuUfF]*(?:\"{3}|'{3}|\"|'))?)(.*?)((?:\\n)?(?:\"{3}|'{3}|\"|')?)", shown
        )
        if found is None or not found[2].strip():
            continue
        head, text, tail = found.groups()
        forms = {
            "Add a full stop, period": text.rstrip() + ".", "Drop the full stop, period": text.rstrip().rstrip("."),
            "Start with a capital": text[:1].upper() + text[1:], "Start in lower case": text[:1].lower() + text[1:],
            "Start with a capital, end with a period": text[:1].upper() + text[1:].rstrip().rstrip(".") + ".",
            "Add a space at the end": text + " ", "Drop the exclamation mark": text.replace("!", ""),
            "Drop the leading space": text.lstrip(),
            "Full stop, no exclamation mark": text.replace("!", "."),
        }  # fmt: skip
        for title, made in forms.items():
            if made != text and not (title in _STOPPED and _goes_on(context, place, text)):
                changed = place, with_fields(head + made + tail, fields)
                yield title, with_texts([changed])
                no_marks += [changed] if title == "Drop the exclamation mark" else []
        for name, sign in (("colon", ":"), ("comma", ","), ("semicolon", ";")):
            spaced = re.sub(rf"{sign}(?=[^\W\d]|[^\w\s/.,:;])", f"{sign} ", text)
            if name in arguments.words and "space" in arguments.words and spaced != text:
                edits = with_texts([(place, with_fields(head + spaced + tail, fields))])
                yield f"Add a space after the {name}", edits
        if "comma" in arguments.words or "space" in arguments.words:
            mark = "," if "comma" in arguments.words else " "
            for word in list(dict.fromkeys(re.findall(r"\w+", text)))[:40]:
                if word.lower() in arguments.words:
                    behind = re.sub(rf"\b{re.escape(word)}\b(?!,)", f"{word}{mark}", text, count=1)
                    edits = with_texts([(place, with_fields(head + behind + tail, fields))])
                    yield f"Add a {mark} after {word}", edits
                    before = re.sub(rf"(?<![,]) \b{re.escape(word)}\b", f"{mark} {word}", text, count=1)
                    edits = with_texts([(place, with_fields(head + before + tail, fields))])
                    yield f"Add a {mark} before {word}", edits
    if len(no_marks) > 1:
        yield "Drop the exclamation marks everywhere, in all texts", with_texts(no_marks)


def _goes_on(context: RefactoringContext, place: TextLine, text: str) -> bool:
    """Whether a text ends in a mark, or its sentence goes on in the next line of its docstring or comment."""
    if text.rstrip().endswith((".", "!", "?", ":", ";", ",")):
        return True
    closed = place.text.rstrip().endswith(('"', "'"))
    below = context.lines[place.number].strip() if place.number < len(context.lines) and not closed else ""
    starts = below.lstrip("# ")[:1]
    return starts.islower() and (below.startswith("#") if place.comment else True)


def _spliced(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A wording of the instruction in place of the words of a text that are most like it."""
    wordings = [text for text in arguments.texts if text != arguments.instruction]
    wordings += re.split(r"[,;:] |\.\.\.|…|→|->", arguments.instruction)
    places = texts_meant(context, arguments.words)
    there = "\n".join(place.text for place in places)
    wordings = [text.strip() for text in wordings if 1 < len(text.split()) < 16]
    wordings = [text for text in wordings if text not in there][:8]
    for place in places:
        spans = [found.span() for found in re.finditer(r"[^\s\"'#]*[^\s\"'#.,;:!?)]", place.text)]
        words = [place.text[a:b].lower() for a, b in spans]
        for wording in (one for one in wordings if one not in place.text):
            wanted = wording.lower().split()
            shared = len(set(wanted) & set(words))
            if (shared < 2 and not arguments.words & _STARTING) or shared * 2 < len(wanted):
                continue
            window = _most_alike(words, wanted)
            if window is None:
                continue
            first, last = window
            while words[first] not in wanted:
                first += 1
            while words[last - 1] not in wanted:
                last -= 1
            # What stands beside the first word, or the last one, of the wording is none of its words.
            start = first if words[first] == wanted[0] else window[0]
            end = last if words[last - 1] == wanted[-1] else window[1]
            for begin, stop in dict.fromkeys([(first, last), (start, end)]):
                made = place.text[: spans[begin][0]] + wording + place.text[spans[stop - 1][1] :]
                yield f'Say "{wording}" there', with_texts([(place, made)])
            if words[last - 1] == wanted[-1] and first and arguments.words & _STARTING:
                opened = _OPENING.match(place.text)
                made = (
                    place.text[: opened.end() if opened else 0] + wording + place.text[spans[last - 1][1] :]
                )
                yield f'Start the text with "{wording}"', with_texts([(place, made)])


def _most_alike(words: Sequence[str], wanted: Sequence[str]) -> tuple[int, int] | None:
    """The run of words that begins or ends as another one and has the most of its words."""
    best: tuple[float, int, int] | None = None
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + len(wanted) + 2) + 1):
            run = words[start:end]
            if run[0] != wanted[0] and run[-1] != wanted[-1]:
                continue
            shared = len(set(run) & set(wanted))
            score = shared - abs(len(run) - len(wanted)) / 4
            if best is None or score > best[0]:
                best = score, start, end
    return best[1:] if best is not None and best[0] >= len(wanted) / 2 - 0.5 else None


SPLICE_WORDING = Refactoring("splice_wording", "refactor.rewrite.spliceWording", _spliced)
REPLACE_WORDS = Refactoring("replace_words", "refactor.rewrite.replaceWords", _propose)
LEAVE_OUT_WORDS = Refactoring("leave_out_words", "refactor.rewrite.leaveOutWords", _leave_out)
PUNCTUATION = Refactoring("punctuation", "refactor.rewrite.punctuation", _marks)
