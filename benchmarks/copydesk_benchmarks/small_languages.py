"""Languages small enough to be enumerated, as automata over tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from copydesk.decode.laws.law import Language
from copydesk.decode.lookahead import Path
from copydesk.decode.sampling import TokenSet

DyckState: TypeAlias = tuple[int, Path]
"""Tokens that are left to write, and the brackets that are open."""


@dataclass(frozen=True, slots=True)
class Dyck:
    """D(k, n): the well-nested strings of n pairs of k kinds of brackets. brackets: each kind's tokens, opening and closing."""

    brackets: Sequence[tuple[int, int]]
    pairs: int

    @property
    def start(self) -> DyckState:
        return 2 * self.pairs, ()

    def tokens(self, state: DyckState) -> TokenSet:
        left, stack = state
        opening = [begin for begin, _ in self.brackets] if len(stack) < left else []
        return TokenSet(allow=sorted([*opening, *stack[-1:]]))

    def next(self, state: DyckState, token: int) -> DyckState | None:
        left, stack = state
        if token not in self.tokens(state).ids:  # type: ignore[operator]
            return None
        closing = dict(self.brackets).get(token)
        return left - 1, stack[:-1] if closing is None else (*stack, closing)

    def closed(self, state: DyckState) -> bool:
        return not state[0]


def strings(language: Language) -> Iterator[Path]:
    """All strings of a finite language, in order of their tokens."""
    waiting: list[tuple[object, Path]] = [(language.start, ())]
    while waiting:
        state, path = waiting.pop()
        if language.closed(state):
            yield path
            continue
        ids = language.tokens(state).ids
        assert ids is not None, "the language is not finite"
        waiting += [(language.next(state, token), (*path, token)) for token in map(int, ids[::-1])]
