"""Context-free grammars over terminals, and terminals as regular languages of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

END = "$"
"""The terminal behind a whole text. No grammar names it."""


@dataclass(frozen=True, slots=True)
class Regular:
    """A regular language of bytes as an expression: `kind` is "set" (one byte of `bytes`), "seq", "alt" or "star" of `parts`."""

    kind: str
    bytes: frozenset[int] = frozenset()
    parts: tuple[Regular, ...] = ()

    def __or__(self, other: Regular) -> Regular:
        return Regular("alt", parts=(self, other))

    def __add__(self, other: Regular) -> Regular:
        return Regular("seq", parts=(self, other))


EMPTY = Regular("seq")
"""The language of the empty text alone."""


def one_of(*ranges: str | int) -> Regular:
    """One byte: of a text's, or of a range written as `"a-z"`; numbers are bytes."""
    found: set[int] = set()
    for each in ranges:
        if isinstance(each, int):
            found.add(each)
        elif len(each) == 3 and each[1] == "-":
            found |= set(range(ord(each[0]), ord(each[2]) + 1))
        else:
            found |= set(each.encode())
    return Regular("set", frozenset(found))


def none_of(excluded: Iterable[int]) -> Regular:
    """One byte that is not among these."""
    return Regular("set", frozenset(range(256)) - frozenset(excluded))


def literal(text: str) -> Regular:
    """Just this text."""
    return Regular("seq", parts=tuple(Regular("set", frozenset({byte})) for byte in text.encode()))


def any_of(*texts: str) -> Regular:
    """One of these texts."""
    return reduce(Regular.__or__, map(literal, texts))


def star(inner: Regular) -> Regular:
    """Any number of them, none too."""
    return Regular("star", parts=(inner,))


def plus(inner: Regular) -> Regular:
    """One or more of them."""
    return inner + star(inner)


def optional(inner: Regular) -> Regular:
    """One of them or none."""
    return inner | EMPTY


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar whose start symbol is the first production's.

    productions: (left, right) pairs; what is no left side is a terminal. terminals: what each is spelled like; of several that
    fit the same text the first counts, and a terminal is as long as its text allows. skipped: spelled the same way, and may
    stand anywhere between terminals.
    """

    productions: tuple[tuple[str, tuple[str, ...]], ...]
    terminals: Mapping[str, Regular]
    skipped: tuple[Regular, ...] = ()

    @classmethod
    def of(
        cls, rules: Mapping[str, str], terminals: Mapping[str, Regular], skipped: Iterable[Regular] = ()
    ) -> Grammar:
        """rules: the right sides of each symbol, apart by `|`, symbols apart by spaces. What neither `rules` nor `terminals` has
        is spelled as its name.
        """
        made = [(left, tuple(right.split())) for left, rights in rules.items() for right in rights.split("|")]
        names = dict.fromkeys(name for _, right in made for name in right if name not in rules)
        spelled = {name: terminals[name] if name in terminals else literal(name) for name in names}
        return cls(tuple(made), spelled, tuple(skipped))
