"""Which tokens of a vocabulary may come next, by tables: tokens advance an automaton by effects that are worked out beforehand.

From each state of the lexer every token completes some terminals and leads to a state. Those with the same outcome are one class,
and a vocabulary has a few hundred of them. A schema's lexer has thousands of states, most of them inside a string that it knows,
where all but a few tokens do what they do inside any string. For the top of a stack the cases of each class are known, too; what
is left to do where a configuration is met for the first time is to look which cases fit the states below, and whether what they
make leads to the goal. After that it is a look-up: what is kept is keyed by no more of the stack than decides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.effects import IDENTITY, Cases, Effects, applied
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.interfaces import GoalMasks, Row
from copydesk.pushdown.lexer import Lexer, Terminals

MOST_ROWS = 4096
"""Masks that are kept for all goals: some 25 MB of 50,000 tokens each."""
MOST_STATES = 512
"""States of the lexer whose tokens are kept: some 50 MB of 50,000 tokens each."""
_LEXED_ALIKE = 0.5
"""Where more tokens than this share do not do the same from another state, all are lexed."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What some classes of tokens do where one state of the stack is at the top. behind: the lexer's state."""

    behind: int
    cases: Cases
    classes: NDArray[np.uint16]


@dataclass(slots=True, eq=False)
class _Lexed:
    """What the tokens do from one state of the lexer: the class of each, and what a class means, the state behind it and the
    terminals that it completes. outcomes: by the top of the stack, as far as they were asked for.
    """

    classes: NDArray[np.uint16]
    meanings: list[tuple[int, Terminals]]
    outcomes: dict[int, tuple[int, list[_Outcome]]] = field(default_factory=dict)


class TokenMasks:
    """The tables of one vocabulary: `token_bytes` are what its tokens spell, nothing for those that are no text. What the tokens
    do from a state of the lexer is worked out when a text first comes to it.
    """

    def __init__(self, effects: Effects, token_bytes: Sequence[bytes]) -> None:
        self.effects = effects
        self.automaton = effects.automaton
        self.size = len(token_bytes)
        self._lengths = np.fromiter((len(spelled) for spelled in token_bytes), np.int64, self.size)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._flat = np.frombuffer(b"".join(token_bytes), np.uint8)
        self._first = np.full(self.size, -1, np.int16)
        self._first[self._lengths > 0] = self._flat[self._starts[self._lengths > 0]]
        self._step, self._emitted, self._kinds = _step_table(self.automaton.lexer)
        self._sequences: list[Terminals] = [()]
        self._numbers: dict[Terminals, int] = {(): 0}
        self._bases: dict[int, _Lexed] = {}
        self._lexed = lru_cache(maxsize=MOST_STATES)(self._lexed_from)
        self._packed = lru_cache(maxsize=MOST_ROWS)(self._packed_row)
        self._longest = max(len(edge.old) for edge in self.automaton.all_edges())

    def _lexed_from(self, state: int) -> _Lexed:
        """By all tokens, or by those alone that do not do the same from another state, as most do from inside any string."""
        found = self._bases.get(state)
        if found is not None:
            return found
        changed: NDArray[np.bool_] = self._first >= 0
        alike: _Lexed | None = None
        least = _LEXED_ALIKE * float(np.count_nonzero(changed))
        for base, lexed in self._bases.items():
            differs = (self._step[base] != self._step[state]) | (self._emitted[base] != self._emitted[state])
            here = (self._first >= 0) & differs[self._first]
            count = float(np.count_nonzero(here))
            if count < least:
                alike, changed, least = lexed, here, count
        tokens = np.flatnonzero(changed)
        both, classes = np.unique(self._run(state, tokens), return_inverse=True)
        dead: tuple[int, Terminals] = (self.automaton.lexer.dead, ())
        meanings = list(alike.meanings) if alike is not None else [dead]
        number = {meaning: k for k, meaning in enumerate(meanings)}
        renamed = np.zeros(len(both), np.uint16)
        for k, one in enumerate(both.tolist()):
            behind, sequence = divmod(one, len(self._sequences))
            meaning = (behind, self._sequences[sequence])
            if meaning not in number:
                number[meaning] = len(meanings)
                meanings.append(meaning)
            renamed[k] = number[meaning]
        all_classes = alike.classes.copy() if alike is not None else np.zeros(self.size, np.uint16)
        all_classes[tokens] = renamed[classes.reshape(-1)]
        found = _Lexed(all_classes, meanings)
        if alike is None:
            self._bases[state] = found
        return found

    def _run(self, state: int, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """From `state` by each of some tokens: the state behind it and the sequence of terminals it completes, as one number."""
        dead = self.automaton.lexer.dead
        now = np.full(len(tokens), state, np.int16)
        done = np.zeros(len(tokens), np.int32)
        running = np.arange(len(tokens))
        at = 0
        while True:
            running = running[self._lengths[tokens[running]] > at]
            if not len(running):
                break
            byte = self._flat[self._starts[tokens[running]] + at]
            here = now[running].astype(np.int32) * 256 + byte
            to, more = self._step.ravel()[here], self._emitted.ravel()[here]
            now[running] = to
            some = np.flatnonzero(more)
            if len(some):
                columns = running[some]
                longer, place = np.unique(
                    done[columns].astype(np.int64) * len(self._kinds) + more[some], return_inverse=True
                )
                done[columns] = np.array([self._sequence(int(one)) for one in longer], np.int32)[
                    place.reshape(-1)
                ]
            running = running[to != dead]
            at += 1
        done[now == dead] = 0
        return now.astype(np.int64) * len(self._sequences) + done

    def _sequence(self, one: int) -> int:
        """The number of a sequence and the terminals that follow it."""
        before, kind = divmod(one, len(self._kinds))
        sequence = self._sequences[before] + self._kinds[kind]
        if sequence not in self._numbers:
            self._numbers[sequence] = len(self._sequences)
            self._sequences.append(sequence)
        return self._numbers[sequence]

    def _outcomes(self, state: int, top: int) -> tuple[int, list[_Outcome]]:
        """How much of a stack with `top` at its top decides what may come, and the outcomes there are."""
        lexed = self._lexed(state)
        known = lexed.outcomes.get(top)
        if known is not None:
            return known
        found: dict[tuple[int, Cases], list[int]] = {}
        for number, (behind, terminals) in enumerate(lexed.meanings):
            if behind == self.automaton.lexer.dead:
                continue
            cases = self.effects.of_terminals_behind(top, terminals) if terminals else IDENTITY
            if cases:
                found.setdefault((behind, cases), []).append(number)
        deepest = max((len(old) for _, cases in found for old, _ in cases), default=0)
        outcomes = [
            _Outcome(behind, cases, np.array(numbers, np.uint16))
            for (behind, cases), numbers in found.items()
        ]
        known = lexed.outcomes[top] = deepest + self._longest, outcomes
        return known

    def advance(self, config: Config, token: int) -> Config | None:
        """The configuration behind `token`; None where the lexer or the stack has no way to go on."""
        state, stack = config
        lexed = self._lexed(state)
        behind, terminals = lexed.meanings[lexed.classes.item(token)]
        if behind == self.automaton.lexer.dead:
            return None
        after = self.automaton.shift_all(stack, terminals)
        return None if after is None else (behind, after)

    def key(self, known: GoalMasks[Goal], config: Config) -> tuple[int, Stack, int]:
        """What the mask depends on: the lexer's state, the top of the stack, and what the rest of it may lead to."""
        state, stack = config
        depth = self._outcomes(state, stack[-1])[0]
        return state, stack[-depth:], known.goal.below(stack[:-depth])

    def row(self, known: GoalMasks[Goal], config: Config) -> Row:
        """The tokens behind which the goal can still be reached (do not write)."""
        key = self.key(known, config)
        found = known.rows.get(key)
        if found is None:
            found = known.rows[key] = self._row(known.goal, config)
        return found

    def _row(self, goal: Goal, config: Config) -> Row:
        state, stack = config
        leads: dict[Config, bool] = {}
        legal: list[bool] = []
        for outcome in self._outcomes(state, stack[-1])[1]:
            after = applied(outcome.cases, stack)
            behind = (outcome.behind, after or ())
            if behind not in leads:
                leads[behind] = after is not None and goal.leads(behind)
            legal.append(leads[behind])
        return self._packed(self._lexed(state), stack[-1], tuple(legal))

    def _packed_row(self, lexed: _Lexed, top: int, outcomes: tuple[bool, ...]) -> Row:
        """The tokens of these outcomes."""
        legal = np.zeros(len(lexed.meanings), np.bool_)
        for outcome, one in zip(lexed.outcomes[top][1], outcomes, strict=True):
            if one:
                legal[outcome.classes] = True
        bits = np.packbits(legal[lexed.classes], bitorder="little")
        packed = np.zeros((self.size + 31) // 32 * 4, np.uint8)
        packed[: len(bits)] = bits
        return packed.view(np.uint32)


def _step_table(lexer: Lexer) -> tuple[NDArray[np.int16], NDArray[np.int16], list[Terminals]]:
    """`step` and `emitted` as arrays [states + 1, 256], the last row dead; emissions as indices of the list, 0 being none."""
    kinds: dict[Terminals, int] = {(): 0}
    step = np.full((lexer.dead + 1, 256), lexer.dead, np.int16)
    emitted = np.zeros((lexer.dead + 1, 256), np.int16)
    for q in range(lexer.dead):
        step[q] = lexer.step[q]
        emitted[q] = [kinds.setdefault(done, len(kinds)) for done in lexer.emitted[q]]
    return step, emitted, list(kinds)
