"""Which tokens of a vocabulary may come next in Python: worked out for a state of the lexer when it is first met.

From a state every token completes some terminals; those that complete the same are one class. Whether a class may come is decided
by the top of the stack, so masks are kept by that. Tokens with a newline before their end are never allowed, as in all text that
is generated (`grammar/bytes_dfa.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copydesk.pushdown.automaton import Config
from copydesk.pushdown.interfaces import GoalMasks, Key, Row
from copydesk.pushdown.python.layer import Layer
from copydesk.pushdown.python.lexer import DEAD
from copydesk.pushdown.python.modes import BEGIN, CLOSE, NEWLINE, Terminals
from copydesk.pushdown.python.stack import BEGUN, BRACKET, MOST_BRACKETS, shift_all
from copydesk.pushdown.token_masks import MOST_ROWS

_LONGEST = 32
"""Brackets that one token may open."""
_MOST_STEPS = 1 << 16
"""Steps by one token that are kept."""


@dataclass(frozen=True, slots=True)
class _Classes:
    """The tokens from one state of the lexer. of: the class of each token, the last for those that cannot come.

    depth: how many brackets a token may close. begins: whether a token may begin a line.
    """

    terminals: list[Terminals]
    of: NDArray[np.integer[Any]]
    depth: int
    begins: bool


class TokenMasks:
    """The masks of one vocabulary: `token_bytes` are what its tokens spell, nothing for those that are no text."""

    def __init__(self, layer: Layer, token_bytes: Sequence[bytes]) -> None:
        self.automaton = layer
        self.size = len(token_bytes)
        self._spelled = [b"" if b"\n" in text[:-1] else text for text in token_bytes]
        lengths = np.fromiter(map(len, self._spelled), np.int64, self.size)
        self._order = np.argsort(
            -lengths, kind="stable"
        )  # longest first, so that those still running are a prefix
        self._flat = np.frombuffer(b"".join(self._spelled), np.uint8)
        self._starts = (np.cumsum(lengths) - lengths)[self._order]
        self._falling = -lengths[self._order]
        self._sequences: list[Terminals] = [()]
        self._numbers: dict[Terminals, int] = {(): 0}
        # A row per state and one in front of them all for what is dead; the next states are rows, too.
        self._next = np.zeros((256, 256), np.int32)
        self._emits = np.zeros((256, 256), np.int32)
        self._made = np.zeros(256, np.bool_)
        self._made[0] = True
        self._classes: dict[int, _Classes] = {}
        self._rows: dict[Key, Row] = {}
        self._steps: dict[tuple[int, int], tuple[int, Terminals] | None] = {}

    def advance(self, config: Config, token: int) -> Config | None:
        """The configuration behind `token`; None where it may not come."""
        state, stack = config
        if (state, token) not in self._steps:
            if len(self._steps) > _MOST_STEPS:
                self._steps.clear()
            spelled = self._spelled[token]
            self._steps[state, token] = self.automaton.lexer.run(state, spelled) if spelled else None
        found = self._steps[state, token]
        after = shift_all(stack, found[1]) if found is not None else None
        return None if found is None or after is None else (found[0], after)

    def key(self, known: GoalMasks[Any], config: Config) -> Key:  # noqa: ARG002
        """What the mask depends on, whatever the goal is: the lexer's state, the top of the stack, and how many brackets are
        open where that is close to the most there may be."""
        state, stack = config
        classes = self._classes.get(state)
        if classes is None:
            classes = self._classes[state] = self._found(state)
        if classes.begins and stack[-1] < BRACKET:
            return state, stack, 0
        place = size = len(stack)
        while place and stack[place - 1] >= BEGUN:
            place -= 1
        open_brackets = size - place
        many = open_brackets if open_brackets > MOST_BRACKETS - _LONGEST else 0
        return state, stack[max(place, size - classes.depth - 1) :], many

    def row(self, known: GoalMasks[Any], config: Config) -> Row:
        """The tokens that may come (do not write)."""
        key = self.key(known, config)
        found = self._rows.get(key)
        if found is None:
            if len(self._rows) >= MOST_ROWS:
                self._rows.clear()
            found = self._rows[key] = self._row(config)
        return found

    def _row(self, config: Config) -> Row:
        classes = self._classes[config[0]]
        legal = np.zeros(len(classes.terminals) + 1, np.bool_)
        legal[:-1] = [shift_all(config[1], terminals) is not None for terminals in classes.terminals]
        bits = np.packbits(legal[classes.of], bitorder="little")
        packed = np.zeros((self.size + 31) // 32 * 4, np.uint8)
        packed[: len(bits)] = bits
        return packed.view(np.uint32)

    def _found(self, state: int) -> _Classes:
        sequences = self._lexed(state)
        used = np.flatnonzero(np.bincount(sequences + 1, minlength=1)[1:])
        places = np.full(len(self._sequences) + 1, len(used), np.int32)  # the last is that of -1
        places[used] = np.arange(len(used))
        of = places[sequences]
        terminals = [self._sequences[number] for number in used.tolist()]
        closing = [sum(CLOSE <= terminal < NEWLINE for terminal in each) for each in terminals]
        begins = any(terminal >= BEGIN for each in terminals for terminal in each)
        return _Classes(terminals, of, max(closing, default=0), begins)

    def _lexed(self, state: int) -> NDArray[np.int32]:
        """The sequence of terminals that each token completes from a state; -1 where it cannot come."""
        now = np.full(self.size, state + 1, np.int32)
        done = np.zeros(self.size, np.int32)
        for at in range(-int(self._falling[0]) if self.size else 0):
            running = int(np.searchsorted(self._falling, -at, side="left"))
            self._make(np.flatnonzero(np.bincount(now[:running])))
            here = now[:running] * 256 + self._flat[self._starts[:running] + at]
            now[:running] = self._next.ravel()[here]
            more = self._emits.ravel()[here]
            places = np.flatnonzero(more)
            before = done[places]
            done[places[before == 0]] = more[places[before == 0]]
            places = places[before != 0]
            if len(places):
                both = done[places].astype(np.int64) << 32 | more[places]
                kinds, of = np.unique(both, return_inverse=True)
                joined = [
                    self._sequence(self._sequences[kind >> 32] + self._sequences[kind & 0xFFFFFFFF])
                    for kind in kinds.tolist()
                ]
                done[places] = np.array(joined, np.int32)[of.reshape(-1)]
        done[(now == 0) | (self._falling == 0)] = -1
        found = np.empty_like(done)
        found[self._order] = done
        return found

    def _sequence(self, terminals: Terminals) -> int:
        found = self._numbers.get(terminals)
        if found is None:
            found = self._numbers[terminals] = len(self._sequences)
            self._sequences.append(terminals)
        return found

    def _make(self, rows: NDArray[np.int64]) -> None:
        """The lexer's rows as arrays."""
        lexer = self.automaton.lexer
        for row in rows[~self._made[rows]].tolist():
            steps, emitted = lexer.row(row - 1)
            self._next[row] = [0 if to == DEAD else to + 1 for to in steps]
            self._emits[row] = [self._sequence(terminals) for terminals in emitted]
            self._made[row] = True
        if len(lexer.modes) >= len(self._made):
            size = 2 * len(lexer.modes)
            for name in ("_next", "_emits", "_made"):
                old = getattr(self, name)
                longer = np.zeros((size, *old.shape[1:]), old.dtype)
                longer[: len(old)] = old
                setattr(self, name, longer)
