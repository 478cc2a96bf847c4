"""Which tokens of a vocabulary may come next, by tables: tokens advance an automaton by effects that are worked out beforehand.

From each state of the lexer every token completes some terminals and leads to a state. Those with the same outcome are one class,
and a vocabulary has a few hundred of them. For the top of a stack the cases of each class are known, too; what is left to do
where a configuration is met for the first time is to look which cases fit the states below, and whether what they make leads to
the goal. After that it is a look-up: what is kept is keyed by no more of the stack than decides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.effects import Cases, Effects, applied
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.interfaces import GoalMasks, Row
from copydesk.pushdown.lexer import Lexer, Terminals

MOST_ROWS = 4096
"""Masks that are kept for all goals: some 25 MB of 50,000 tokens each."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What some classes of tokens do where one state of the stack is at the top. behind: the lexer's state."""

    behind: int
    cases: Cases
    classes: NDArray[np.int32]


class TokenMasks:
    """The tables of one vocabulary: `token_bytes` are what its tokens spell, nothing for those that are no text."""

    def __init__(self, effects: Effects, token_bytes: Sequence[bytes]) -> None:
        self.effects = effects
        self.automaton = effects.automaton
        self._sequences: list[Terminals] = [()]
        behind, completed = self._lexed(token_bytes)
        self._classes: list[NDArray[np.int32]] = []
        self._class_of: list[list[int]] = []
        self._meanings: list[list[tuple[int, Terminals]]] = []
        dead = self.automaton.lexer.dead
        for state in range(dead):
            both = behind[state].astype(np.int64) * len(self._sequences) + completed[state]
            found, classes = np.unique(both, return_inverse=True)
            meanings = [divmod(int(one), len(self._sequences)) for one in found]
            self._classes.append(classes.reshape(-1).astype(np.int32))
            self._class_of.append(classes.reshape(-1).tolist())
            self._meanings.append([(to, self._sequences[sequence]) for to, sequence in meanings])
        self._cases = {sequence: effects.of_terminals(sequence) for sequence in self._sequences}
        self._packed = lru_cache(maxsize=MOST_ROWS)(self._packed_row)
        self._longest = max(len(edge.old) for edge in self.automaton.all_edges())
        self._outcomes: dict[tuple[int, int], tuple[int, list[_Outcome]]] = {}
        for state in range(dead):
            for top in range(self.automaton.symbols):
                self._outcomes[state, top] = self._worked_out(state, top)

    @property
    def size(self) -> int:
        return len(self._class_of[0])

    def _lexed(self, token_bytes: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """From each state by each token: the state behind it, and the sequence of terminals it completes: both [states, V]."""
        step, emitted, kinds = _step_table(self.automaton.lexer)
        dead, size = self.automaton.lexer.dead, len(token_bytes)
        lengths = np.fromiter((len(spelled) for spelled in token_bytes), np.int64, size)
        ends = np.cumsum(lengths)
        flat = np.frombuffer(b"".join(token_bytes), np.uint8)
        order = np.argsort(-lengths, kind="stable")  # longest first, so that those still running are a prefix
        starts, falling = (ends - lengths)[order], -lengths[order]
        now = np.repeat(np.arange(dead, dtype=np.int16)[:, None], size, axis=1)
        done = np.zeros((dead, size), np.int32)
        numbers: dict[Terminals, int] = {(): 0}
        for at in range(int(lengths.max(initial=0))):
            running = int(np.searchsorted(falling, -at, side="left"))
            here = now[:, :running].astype(np.int32) * 256 + flat[starts[:running] + at]
            now[:, :running] = step.ravel()[here]
            more = emitted.ravel()[here]
            rows, columns = np.nonzero(more)
            longer, place = np.unique(
                done[rows, columns].astype(np.int64) * len(kinds) + more[rows, columns], return_inverse=True
            )
            renamed = []
            for one in longer.tolist():
                sequence = self._sequences[one // len(kinds)] + kinds[one % len(kinds)]
                if sequence not in numbers:
                    numbers[sequence] = len(self._sequences)
                    self._sequences.append(sequence)
                renamed.append(numbers[sequence])
            done[rows, columns] = np.array(renamed, np.int32)[place.reshape(-1)] if renamed else 0
        behind, completed = np.empty_like(now), np.empty_like(done)
        behind[:, order], completed[:, order] = now, done
        behind[:, lengths == 0] = dead
        completed[behind == dead] = 0
        return behind, completed

    def _worked_out(self, state: int, top: int) -> tuple[int, list[_Outcome]]:
        """How much of a stack with `top` at its top decides what may come, and the outcomes there are."""
        found: dict[tuple[int, Cases], list[int]] = {}
        for number, (behind, terminals) in enumerate(self._meanings[state]):
            if behind == self.automaton.lexer.dead:
                continue
            here = tuple(case for case in self._cases[terminals] if not case[0] or case[0][-1] == top)
            if here:
                found.setdefault((behind, here), []).append(number)
        deepest = max((len(old) for _, cases in found for old, _ in cases), default=0)
        outcomes = [
            _Outcome(behind, cases, np.array(numbers, np.int32)) for (behind, cases), numbers in found.items()
        ]
        return deepest + self._longest, outcomes

    def advance(self, config: Config, token: int) -> Config | None:
        """The configuration behind `token`; None where the lexer or the stack has no way to go on."""
        state, stack = config
        behind, terminals = self._meanings[state][self._class_of[state][token]]
        if behind == self.automaton.lexer.dead:
            return None
        after = self.automaton.shift_all(stack, terminals)
        return None if after is None else (behind, after)

    def key(self, known: GoalMasks[Goal], config: Config) -> tuple[int, Stack, int]:
        """What the mask depends on: the lexer's state, the top of the stack, and what the rest of it may lead to."""
        state, stack = config
        depth = self._outcomes[state, stack[-1]][0]
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
        for outcome in self._outcomes[state, stack[-1]][1]:
            after = applied(outcome.cases, stack)
            behind = (outcome.behind, after or ())
            if behind not in leads:
                leads[behind] = after is not None and goal.leads(behind)
            legal.append(leads[behind])
        return self._packed(state, stack[-1], tuple(legal))

    def _packed_row(self, state: int, top: int, outcomes: tuple[bool, ...]) -> Row:
        """The tokens of these outcomes."""
        legal = np.zeros(len(self._meanings[state]), np.bool_)
        for outcome, one in zip(self._outcomes[state, top][1], outcomes, strict=True):
            if one:
                legal[outcome.classes] = True
        bits = np.packbits(legal[self._classes[state]], bitorder="little")
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
