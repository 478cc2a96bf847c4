"""Whether a request determines a change: somebody who reads the request and the code before would write what was written.

It does where what is new in the change is named in the request, stands in the code before, or is forced (a keyword, a built-in, a
misspelt word's right spelling); where few things change that it does not name; and where it names something that changes or an
operation that the change is. Each rule is a function of the differing tokens; the reason of a refusal is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

from copydesk_training.histories.changes import BlockChange
from copydesk_training.histories.words import (
    COMMON,
    STOP,
    alike,
    content_stems,
    lexemes,
    names,
    parts,
    stem,
    stems,
    word_list,
)  # fmt: skip

MOST_NEW = 28
"""Tokens a change may bring: more have more than one way to be written."""
MOST_GONE = 80
"""Tokens it may take away."""
MOST_UNNAMED = 3
"""Names among the new tokens that the code has and the request does not mention: each is a choice."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The tokens (kind, text) a change brings and takes away; tokens that stay in place are in neither."""

    new: list[tuple[str, str]]
    gone: list[tuple[str, str]]


def difference(change: BlockChange) -> Difference:
    """What differs between the lines of each hunk, token by token."""
    new: list[tuple[str, str]] = []
    gone: list[tuple[str, str]] = []
    for removed, added in zip(change.removed, change.added, strict=True):
        a, b = lexemes(removed), lexemes(added)
        for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if tag != "equal":
                gone += a[i:j]
                new += b[k:m]
    return Difference(new, gone)


def undetermined(instruction: str, change: BlockChange) -> str | None:
    """Why the request does not determine the change; None where it does."""
    told = difference(change)
    if not told.new and not told.gone:
        return "layout alone"
    if any(lexemes(a) == lexemes(b) for a, b in zip(change.removed, change.added, strict=True)):
        return "layout, too"
    if len(told.new) > MOST_NEW or len(told.gone) > MOST_GONE:
        return "too much changes"
    known = lexemes(change.before)
    unforced, unnamed = _unforced(told, names(known), {text for _, text in known}, instruction)
    if unforced:
        return unforced
    told_what = explained(told, instruction)
    if is_symptom(instruction) and (len(told.new) > 10 or unnamed or told_what < 1):
        return "the request says what is wrong, not what to do"
    if _WORDING.search(instruction) and _reworded(told, instruction) > 2:
        return "words are chosen freely"
    if not is_order(instruction) and (len(told.new) > 16 or unnamed > 1 or told_what < 0.5):
        return "the request is no order"
    if not _named(instruction, told, change):
        return "the request does not name the change"
    return None


def from_nowhere(change: BlockChange, request: str) -> str | None:
    """Why something new in the change is neither in the request nor in the code before nor forced; None where all is."""
    told = difference(change)
    if len(told.new) > MOST_NEW or len(told.gone) > MOST_GONE or not (told.new or told.gone):
        return "too much changes"
    known = lexemes(change.before)
    return _unforced(told, names(known), {text for _, text in known}, request)[0]


def explained(told: Difference, instruction: str) -> float:
    """The share of new names, literals and words that the request mentions; 1 where nothing is new, a half where signs
    alone are.
    """
    asked = content_stems(instruction)
    content = {
        text
        for kind, text in told.new
        if kind in ("name", "string", "number") and text not in ("self", "cls")
    }
    if not content:
        return 0.5 if told.new else 1.0
    return sum(bool(stems(text) & asked) for text in content) / len(content)


def _unforced(told: Difference, known: set[str], texts: set[str], instruction: str) -> tuple[str | None, int]:
    """Why something new is neither named nor there already nor forced; and how many names are there but not mentioned."""
    asked, gone = stems(instruction), names(told.gone)
    words = asked | _words(told.gone)
    prose = 0
    bound: set[str] = set()
    unnamed: set[str] = set()
    for kind, text in told.new:
        if kind == "name":
            if text in COMMON or text in gone or any(alike(text, other) for other in gone):
                continue
            if re.search(rf"\b{re.escape(text)}\b", instruction) or set(parts(text)) <= asked:
                continue
            if text in known:
                unnamed.add(text)
            elif _bound(text, told):
                bound.add(text)
            elif text not in bound:
                return "a name comes from nowhere", 0
        elif (
            kind == "number" and text not in texts and text not in ("0", "1", "2") and text not in instruction
        ):
            return "a number comes from nowhere", 0
        elif kind in ("string", "comment") and text not in texts:
            body = re.sub(r"^[rbfuRBFU]*['\"]|['\"]$", "", text)
            signs_alone = len(body.strip()) > 1 and not re.search(r"[^\W\d_]{3}", body)
            prose += 2 if signs_alone and body not in instruction else _unknown(body, words, texts)
    if len(bound) > 1:
        return "names are chosen freely", 0
    if prose > 1:
        return "words are chosen freely", 0
    return ("too much is unnamed" if len(unnamed) > MOST_UNNAMED else None), len(unnamed)


def _unknown(text: str, words: set[str], texts: set[str]) -> int:
    return sum(
        not (set(parts(word)) <= words or word in texts or any(alike(stem(word), w) for w in words))
        for word in set(re.findall(r"\w+", text))
        if len(word) > 2 and word.lower() not in STOP
    )


def _bound(name: str, told: Difference) -> bool:
    """Whether the new tokens bind it: a variable, a parameter of a comprehension, an `as`."""
    pairs = list(zip(told.new, told.new[1:], strict=False))
    return any(a[1] == name and b[1] == "=" for a, b in pairs) or any(
        a[1] in ("for", "as") and b[1] == name for a, b in pairs
    )


def _words(found: list[tuple[str, str]]) -> set[str]:
    return {part for kind, text in found if kind != "sign" for part in stems(text)}


# -- what the request names ----------------------------------------------------------------------------------------------


def is_order(instruction: str) -> bool:
    """Whether the request begins with what to do, as far as one verb says it: `update` does not."""
    return re.split(r"[^\w-]", instruction.lower(), maxsplit=1)[0] in _ORDERS


def is_symptom(instruction: str) -> bool:
    """Whether the request tells what is wrong, which can be mended in more ways than one."""
    return _SYMPTOM.search(instruction) is not None and _MISSPELT.search(instruction) is None


_ORDERS = word_list("orders.txt")
_SYMPTOM = re.compile(
    r"(?i)^fix|\b(?:crash|issues?|problem|bug|regression|fail(?:s|ed|ing|ures?)?|broken|breaks?|not work|wrong|incorrect"
    r"|does ?n[o']t|is ?n[o']t|ca ?n[o']t|could ?n[o']t|hang|leak|race|deadlock|traceback|mistake|weird|strange)\b"
)
_MISSPELT = re.compile(
    r"(?i)typo|spell|grammar|indentation|docstring|import|annotation|type hint|rename|capitali"
    r"|raise|replac|instead of|by \w+ing\b"
)


_WORDING = re.compile(r"(?i)message|wording|doc|comments?\b|help\b|text\b|descri|explain|clarif|example")


def _reworded(told: Difference, instruction: str) -> int:
    """New words that the request does not say and no word that goes resembles."""
    asked, gone = stems(instruction), _raw(told.gone)
    new = {word for word in _raw(told.new) - gone if len(word) > 2 and word.lower() not in STOP}
    return sum(not (set(parts(word)) <= asked or any(alike(word, other) for other in gone)) for word in new)


def _named(instruction: str, told: Difference, change: BlockChange) -> bool:
    asked = content_stems(instruction)
    here = asked & (_words(told.new) | _words(told.gone))
    if not told.new:
        # What only goes must be named: everything in a function can be removed.
        dead = _DEAD.search(instruction) and asked & stems("".join(change.removed))
        return is_order(instruction) and bool(dead or (here and len(told.gone) <= 40))
    spoken = any(words.search(instruction) and fits(told, change) for words, fits in _OPERATIONS)
    if spoken and (here or asked & stems("".join([*change.removed, *change.added]))):
        return True
    # Without a known operation more of what is new must be named.
    return bool(here) and explained(told, instruction) >= 0.5


_DEAD = re.compile(
    r"(?i)unused|unneeded|unnecessary|redundant|obsolete|useless|dead\b|superfluous|leftover|duplicate|no longer"
)


def _any_new(*wanted: str) -> Callable[[Difference, BlockChange], bool]:
    def fits(told: Difference, _: BlockChange) -> bool:
        return any(text in wanted for _, text in told.new)

    return fits


def _rename(told: Difference, _: BlockChange) -> bool:
    return len(names(told.new)) <= 2 and len(names(told.gone)) <= 2


def _typo(told: Difference, _: BlockChange) -> bool:
    new, gone = _raw(told.new), _raw(told.gone)
    return bool(new) and all(any(alike(a, b) for b in gone) for a in new - gone)


def _raw(found: list[tuple[str, str]]) -> set[str]:
    return {word for kind, text in found if kind != "sign" for word in re.findall(r"[^\W_]+", text)}


def _default(_: Difference, change: BlockChange) -> bool:
    return any("=" in line or "get(" in line for line in change.added)


def _annotation(told: Difference, change: BlockChange) -> bool:
    return any(text in ("->", ":") for _, text in told.new) or any("def " in line for line in change.added)


def _replaced(told: Difference, _: BlockChange) -> bool:
    return bool(told.new) and bool(told.gone)


def _argument(told: Difference, change: BlockChange) -> bool:
    return any("(" in line or "=" in line for line in change.added) and len(told.new) <= 12


_OPERATIONS: tuple[tuple[re.Pattern[str], Callable[[Difference, BlockChange], bool]], ...] = tuple(
    (re.compile(rf"(?i){words}"), fits)
    for words, fits in (
        (r"\brenam", _rename),
        (r"\btypos?\b|spell|misspel|grammar", _typo),
        (r"annotat|typ(?:e|ing) (?:hint|annot)", _annotation),
        (
            r"deprecat|warn",
            _any_new("warnings", "warn", "DeprecationWarning", "deprecated", "PendingDeprecationWarning"),
        ),
        (r"\bdefaults?\b", _default),
        (r"\braise\b|Error\b|[Ee]xception", _any_new("raise", "except", "Exception")),
        (r"\blog", _any_new("log", "logger", "logging", "debug", "info", "warning", "exception")),
        (r"\breturn", _any_new("return", "yield")),
        (r"replac|instead of|rather than|\bswitch|^convert|^use\b|in favou?r of|^prefer|^change", _replaced),
        (r"\bpass\b|\barg|param|keyword|kwarg", _argument),
        (r"\bif\b|\bwhen\b|unless|\bNone\b|empty|missing", _any_new("if", "is", "or", "and", "not", "elif")),
    )
)
"""Words of a request for an operation, and whether the change is one."""
