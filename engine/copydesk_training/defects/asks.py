"""How people ask for an edit: wordings drawn from data files, one a subject, with the fields of the edit filled in.

`training/wordings/SUBJECT.txt`, UTF-8, has one wording a line: text with `{field}`s as in `str.format` (`{{` and `}}` for
braces); lines that start with `#` and blank ones are skipped. Of every file about a tenth is held out of training, for
measuring. It knows nothing of code.
"""

from __future__ import annotations

import hashlib
import re
import string
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Literal

from copydesk_training.defects.sloppiness import Part, sloppy

Split = Literal["train", "heldout"]

HELD_OUT = 10
"""One wording of so many is held out, on average."""

_FOLDER = resources.files("copydesk_training") / "wordings"


class NoWordingError(KeyError):
    """No wording of a subject does with the fields that an edit has."""


class HeldOutRandom(Random):
    """Random choices for held-out examples: with it, `ask` draws from the wordings that training never sees."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One line of a file. `parts`: literal text and the field behind it (None at the end), in order."""

    text: str
    parts: tuple[tuple[str, str | None], ...]
    fields: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Wording:
        """Raises ValueError for a template `str.format` would not take, or with more than names in its braces."""
        parts: list[tuple[str, str | None]] = []
        for literal, field, spec, conversion in string.Formatter().parse(text):
            if field is not None and (not field.isidentifier() or spec or conversion):
                raise ValueError(f"the wording {text!r} has a field that is not a plain name")
            parts.append((literal, field))
        return cls(text, tuple(parts), frozenset(field for _, field in parts if field is not None))

    @property
    def split(self) -> Split:
        """Decided by the words alone: what differs in case, quotes or punctuation only is never on either side."""
        words = re.sub(r"[^\w{}]+", " ", self.text.casefold()).strip()
        digest = hashlib.sha256(words.encode()).digest()
        return "train" if int.from_bytes(digest[:8], "big") % HELD_OUT else "heldout"


@cache
def subjects() -> tuple[str, ...]:
    """Every subject that has a file, in order of the alphabet."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


@cache
def wordings(subject: str, split: Split | None = None) -> tuple[Wording, ...]:
    """The wordings of `subject`, in the order of its file; those of one split, if given.

    "bug" knows that there is one, "check" leaves it open; of "unclear" nothing follows. Raises KeyError for an unknown subject,
    ValueError for a broken line.
    """
    if subject not in subjects():
        raise KeyError(subject)
    lines = (_FOLDER / f"{subject}.txt").read_text("utf-8").split("\n")
    found = (Wording.of(line.strip()) for line in lines if line.strip() and not line.startswith("#"))
    return tuple(wording for wording in found if split in (None, wording.split))


@cache
def _usable(subject: str, split: Split, fields: frozenset[str]) -> tuple[Wording, ...]:
    return tuple(wording for wording in wordings(subject, split) if wording.fields <= fields)


def ask(rng: Random, subject: str, **fields: object) -> str:
    """One of the wordings of `subject` whose fields are all given, now and then written sloppily.

    Held-out ones for a `HeldOutRandom`, else those for training. Raises KeyError for an unknown subject, NoWordingError where the
    fields are too few for any wording.
    """
    usable = _usable(subject, "heldout" if isinstance(rng, HeldOutRandom) else "train", frozenset(fields))
    if not usable:
        raise NoWordingError(f"no wording of {subject!r} does with {sorted(fields)}")
    parts: list[Part] = []
    for literal, field in rng.choice(usable).parts:
        parts.append(Part(literal))
        if field is not None:
            parts.append(Part(str(fields[field]), given=True))
    return sloppy(rng, parts)
