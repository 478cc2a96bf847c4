"""New text inside a code fence, token by token: what a model that is not trained for programs may write behind an opening fence.

The text is valid UTF-8 without carriage returns, in whole lines. A line that is the closing fence ends it, with nothing but white
space behind it in the same token. No other line begins with a fence, indented or not, so the block is the same to every reader.
From every state the text can be closed. Depends on a vocabulary and the fence's length.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from copydesk.errors import GrammarError
from copydesk.grammar.bytes_dfa import INSIDE, LINE_START, text_dfa
from copydesk.prompting.vocabulary import Vocabulary

ILLEGAL = -1
_TICK, _NEWLINE = ord("`"), ord("\n")
_INDENTS = (ord(" "), ord("\t"))


class FencedText:
    """The automaton for fences of `length` backticks. Raises GrammarError for a vocabulary in which no text can be closed.

    `advance(state, token)` is a look-up; `closed` is the state behind the closing fence, from which nothing leads on.
    """

    def __init__(self, vocabulary: Vocabulary, length: int) -> None:
        step = _bytes_automaton(length)
        self.start = LINE_START
        self.closed = len(step) - 2
        table = _behind_tokens(step, vocabulary)
        table[table == len(step) - 1] = ILLEGAL
        table = table[:-1]
        table[self.closed] = ILLEGAL
        distance = _distances(table, self.closed)
        if not np.isfinite(distance[self.start]):
            raise GrammarError(
                "the vocabulary has no newline or no backtick: a code fence could never be closed"
            )
        table[(table != ILLEGAL) & ~np.isfinite(distance)[table]] = ILLEGAL
        self._table = table
        self._distance = distance
        self._lengths = np.fromiter(map(len, vocabulary.token_bytes), np.int64, vocabulary.size)

    @property
    def states(self) -> int:
        return len(self._table)

    def advance(self, state: int, token: int) -> int:
        """State behind `token`; `ILLEGAL` (-1) if it may not come."""
        return int(self._table[state, token])

    def shorter_list(self, state: int) -> tuple[bool, NDArray[np.int64]]:
        """(True, legal tokens) or (False, illegal tokens), whichever are fewer, ascending."""
        legal = self._table[state] != ILLEGAL
        allow = 2 * int(np.count_nonzero(legal)) <= len(legal)
        return allow, np.flatnonzero(legal if allow else ~legal)

    def closing_path(self, state: int) -> list[int]:
        """A shortest run of tokens from `state` to the closed text, of few bytes. Empty if it is closed."""
        path: list[int] = []
        while state != self.closed:
            path.append(self._exits[state])
            state = self.advance(state, path[-1])
        return path

    @cached_property
    def _exits(self) -> dict[int, int]:
        """The first token of a shortest way to close each state."""
        exits = {}
        for state in range(self.states):
            if state != self.closed and np.isfinite(self._distance[state]):
                row = self._table[state]
                leads = (row != ILLEGAL) & (self._distance[row] == self._distance[state] - 1)
                tokens = np.flatnonzero(leads)
                exits[state] = int(tokens[np.argmin(self._lengths[tokens])])
        return exits


def _bytes_automaton(length: int) -> NDArray[np.int16]:
    """`step[state, byte]`: the states of plain text, then those of a line that has begun with white space, with backticks (one
    state for each), with both; then the closed one, and the dead one, which no byte leaves.
    """
    text = text_dfa(tagged=False)
    plain = text.dead  # states of text but for the dead one
    indent, ticks, indented = plain, plain + 1, plain + length
    closed, dead = plain + 2 * length - 1, plain + 2 * length
    step = np.full((dead + 1, 256), dead, np.int16)
    step[:plain] = np.where(text.step[:plain] == text.dead, dead, text.step[:plain])
    for state in (LINE_START, *range(indent, closed)):
        step[state] = step[INSIDE]
    step[LINE_START, _TICK] = ticks
    step[LINE_START, list(_INDENTS)] = indent
    step[indent, _TICK] = indented
    step[indent, list(_INDENTS)] = indent
    for k in range(length - 1):  # k + 1 backticks are there
        step[ticks + k, _TICK] = ticks + k + 1 if k + 2 < length else closed
        step[indented + k, _TICK] = indented + k + 1 if k + 2 < length else dead
    step[closed, [*_INDENTS, _NEWLINE]] = closed
    return step


def _behind_tokens(step: NDArray[np.int16], vocabulary: Vocabulary) -> NDArray[np.int32]:
    """The state behind every token from every state: [states, tokens]; the dead one for tokens that spell nothing."""
    spelled = vocabulary.token_bytes
    lengths = np.fromiter(map(len, spelled), np.int64, len(spelled))
    starts = np.cumsum(lengths) - lengths
    flat = np.frombuffer(b"".join(spelled), np.uint8)
    order = np.argsort(-lengths, kind="stable")  # longest first, so that those still running are a prefix
    starts, falling = starts[order], -lengths[order]
    now = np.repeat(np.arange(len(step), dtype=np.int16)[:, None], len(spelled), axis=1)
    transitions = step.ravel()
    for at in range(int(lengths.max(initial=0))):
        running = int(np.searchsorted(falling, -at, side="left"))
        now[:, :running] = transitions[now[:, :running].astype(np.int32) * 256 + flat[starts[:running] + at]]
    behind = np.empty_like(now)
    behind[:, order] = now
    behind[:, lengths == 0] = len(step) - 1
    return behind.astype(np.int32)


def _distances(table: NDArray[np.int32], closed: int) -> NDArray[np.float64]:
    """Fewest tokens from each state to the closed one: [states], infinite where there is no way."""
    distance = np.full(len(table), np.inf)
    distance[closed] = 0
    while True:
        behind = np.where(table == ILLEGAL, np.inf, distance[table])
        better = np.minimum(distance, 1 + behind.min(axis=1))
        if np.array_equal(better, distance):
            return distance
        distance = better
