"""How instructions look as people type them: a mistyped word, no full stop, "hey," in front. What they name stays exact.

Only an instruction's own words change: never the names, values and texts filled in, nor what is quoted or spelt as code. Knows
no subjects and no edits.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

_WORD = re.compile(r"(?<![^\s(])[A-Za-z][a-z]{4,}(?=[\s.,;:!?)]|$)")
"""A plain English word of at least five letters, between white space or punctuation."""
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\([^)]*\)")
_CODE = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"elif", "kwarg", "kwargs"}
_POLITE = re.compile(r"(?i)\b(please|pls|thanks|thank|hey|hi|hello)\b")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an instruction; `given` where it was filled in (a name, a value, a text) and must stay as it is."""

    text: str
    given: bool = False


def sloppy(rng: Random, parts: Sequence[Part]) -> str:
    """The parts as one instruction, mostly as they are; each of `HABITS` changes it at its rate."""
    kept = [part for part in parts if part.text]
    for rate, habit in HABITS:
        if rng.random() < rate:
            kept = habit(rng, kept)
    return "".join(part.text for part in kept)


# -- habits ------------------------------------------------------------------------------------------------


def mistyped(rng: Random, parts: list[Part]) -> list[Part]:
    """One plain word with two letters swapped, or one dropped or doubled; its first letter stays."""
    places = [(k, m) for k in _own(parts) for m in _plain(parts, k, _WORD) if m[0].lower() not in _CODE]
    if not places:
        return parts
    k, match = rng.choice(places)
    at, word = rng.randrange(1, len(match[0]) - 1), match[0]
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    dropped = word[:at] + word[at + 1 :]
    doubled = word[:at] + word[at] + word[at:]
    wrong = rng.choice([other for other in (swapped, dropped, doubled) if other != word])
    return _with(parts, k, parts[k].text[: match.start()] + wrong + parts[k].text[match.end() :])


def doubled_space(rng: Random, parts: list[Part]) -> list[Part]:
    """Two spaces in place of one between words."""
    places = [(k, m) for k in _own(parts) for m in _plain(parts, k, re.compile(r"(?<=\w) (?=\w)"))]
    if not places:
        return parts
    k, match = rng.choice(places)
    return _with(parts, k, parts[k].text[: match.start()] + "  " + parts[k].text[match.end() :])


def unpunctuated(_: Random, parts: list[Part]) -> list[Part]:
    """No full stop, question or exclamation mark at the end."""
    if not parts or parts[-1].given or (len(parts) == 1 and not parts[0].text.strip(".!?")):
        return parts
    return _with(parts, len(parts) - 1, parts[-1].text.rstrip(".!?"))


def uncapitalized(_: Random, parts: list[Part]) -> list[Part]:
    """A small letter at the start."""
    first = re.match(r"[A-Z][a-z']*(?![\w.])", parts[0].text) if parts and not parts[0].given else None
    if first is None or first[0] in _CODE:
        return parts
    return _with(parts, 0, parts[0].text[0].lower() + parts[0].text[1:])


def greeted(rng: Random, parts: list[Part]) -> list[Part]:
    """A word of greeting or pleading in front of a sentence that starts with a plain word."""
    if not parts or parts[0].given or not re.match(r"[A-Za-z]+ ", parts[0].text) or _is_polite(parts):
        return parts
    greeting = rng.choice(("please ", "please ", "pls ", "hey, ", "hi, ", "ok, "))
    return [Part(greeting), *uncapitalized(rng, parts)]


def thanked(rng: Random, parts: list[Part]) -> list[Part]:
    """Thanks behind a sentence; never where it could be taken for a part of a text that was given."""
    if not parts or parts[-1].given or not re.search(r"[a-z][.!?]?$", parts[-1].text) or _is_polite(parts):
        return parts
    return [*parts, Part(rng.choice((", thanks", " thanks", " thx", ", thank you", ", please", " pls")))]


def quoted(rng: Random, parts: list[Part]) -> list[Part]:
    """Quotation marks round all of it, as in what was copied from somewhere; not where there are quotes inside."""
    whole = "".join(part.text for part in parts)
    if not whole or re.search(r"[\"'`]", whole) or (parts[-1].given and not parts[-1].text.isidentifier()):
        return parts
    mark = rng.choice('""\'')
    return [Part(mark), *parts, Part(mark)]


HABITS: tuple[tuple[float, Callable[[Random, list[Part]], list[Part]]], ...] = (
    (0.05, mistyped),
    (0.015, doubled_space),
    (0.10, unpunctuated),
    (0.08, uncapitalized),
    (0.04, greeted),
    (0.025, thanked),
    (0.01, quoted),
)
"""Rate and habit, in the order in which they are applied."""


def _own(parts: list[Part]) -> list[int]:
    """The parts that are words of the instruction itself."""
    return [k for k, part in enumerate(parts) if not part.given]


def _plain(parts: list[Part], k: int, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Where `pattern` matches in a part, outside quotes and parentheses that open anywhere in the instruction."""
    before = sum(len(part.text) for part in parts[:k])
    whole = "".join("\0" * len(part.text) if part.given else part.text for part in parts)
    covered = [m.span() for m in _QUOTED.finditer(whole)]
    return [
        match
        for match in pattern.finditer(parts[k].text)
        if not any(a < before + match.end() and before + match.start() < b for a, b in covered)
        and not _touches_given(parts, k, match)
    ]


def _touches_given(parts: list[Part], k: int, match: re.Match[str]) -> bool:
    return (k > 0 and match.start() == 0) or (k + 1 < len(parts) and match.end() == len(parts[k].text))


def _is_polite(parts: list[Part]) -> bool:
    return any(_POLITE.search(parts[k].text) for k in _own(parts))


def _with(parts: list[Part], k: int, text: str) -> list[Part]:
    return [*parts[:k], replace(parts[k], text=text), *parts[k + 1 :]]
