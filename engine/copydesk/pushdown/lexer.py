"""Terminals of a text, byte by byte: one deterministic automaton for all of a grammar's terminals.

A terminal is as long as its text allows (no backing up), and is known at the byte behind it, or at its last byte where nothing
could carry it on. Between terminals stands what the grammar skips.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from copydesk.errors import GrammarError
from copydesk.pushdown.grammar import Grammar, Regular

INITIAL = 0
"""The state between two terminals."""
SKIPPED = -1
"""In place of a terminal: text that is skipped."""

Terminals = tuple[int, ...]


class Lexer:
    """`step[state][byte]` is the next state, `dead` if there is none; `emitted[state][byte]` the terminals that are complete with
    it. `ends[state]`: those complete at the end of a text, None inside one. `reach[state]`: what the terminal that has begun may
    be; none in INITIAL. `skips[state]`: whether it may be text that is skipped. Terminals are numbers, indices of `names`.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.names = tuple(grammar.terminals)
        nfa = _Nfa()
        for number, regular in enumerate(grammar.terminals.values()):
            nfa.add(regular, number)
        for regular in grammar.skipped:
            nfa.add(regular, SKIPPED)
        states, moves, accepts = nfa.determined()
        if accepts[INITIAL] is not None:
            raise GrammarError("a terminal may not be empty")
        goes_on = [bool(row) for row in moves]
        # States that nothing carries on are left at once: only the others are states here.
        kept = [q for q in range(states) if goes_on[q]]
        number_of = {q: k for k, q in enumerate(kept)}
        self.dead = len(kept)
        self.step = [[self.dead] * 256 for _ in kept]
        self.emitted: list[list[Terminals]] = [[()] * 256 for _ in kept]
        self.ends: list[Terminals | None] = []
        for q in kept:
            k, accepted = number_of[q], accepts[q]
            behind = () if accepted is None or accepted == SKIPPED else (accepted,)
            self.ends.append(behind if accepted is not None or q == INITIAL else None)
            for byte in range(256):
                before: Terminals = ()
                to = moves[q].get(byte)
                if to is None and accepted is not None:
                    before, to = behind, moves[INITIAL].get(byte)
                if to is None:
                    continue
                if goes_on[to]:
                    self.step[k][byte], self.emitted[k][byte] = number_of[to], before
                else:
                    last = accepts[to]
                    assert last is not None
                    self.step[k][byte] = INITIAL
                    self.emitted[k][byte] = before if last == SKIPPED else (*before, last)
        found = _reachable(moves, accepts)
        self.reach = [frozenset(found[q]) - {SKIPPED} if q != INITIAL else frozenset[int]() for q in kept]
        self.skips = [q != INITIAL and SKIPPED in found[q] for q in kept]
        self.inside = _Lazy(self._inside)
        """`inside[q][p]`: a shortest text that leads from state q to p and completes no terminal."""
        self.finish = _Lazy(self._finish)
        """`finish[q][t]`: one that completes terminal t, or leads to where the next byte does."""
        self.line_starts = tuple(sorted({INITIAL, *(row[0x0A] for row in self.step)} - {self.dead}))

    @property
    def states(self) -> int:
        return self.dead

    def run(self, state: int, text: bytes) -> tuple[int, Terminals] | None:
        """The state behind `text` and the terminals that were completed in it; None where no terminal is like it."""
        step, emitted, found = self.step, self.emitted, list[int]()
        for byte in text:
            more = emitted[state][byte]
            state = step[state][byte]
            if state == self.dead:
                return None
            if more:
                found += more
        return state, tuple(found)

    def _inside(self, start: int) -> dict[int, bytes]:
        found, todo = {start: b""}, deque([start])
        while todo:
            q = todo.popleft()
            step, emitted = self.step[q], self.emitted[q]
            for byte in _PLAIN_FIRST:
                to = step[byte]
                if to != self.dead and not emitted[byte] and to not in found:
                    found[to] = found[q] + bytes([byte])
                    todo.append(to)
        return found

    def _finish(self, start: int) -> dict[int, bytes]:
        best: dict[int, bytes] = {}
        for q, path in self.inside[start].items():
            ways = [(path, self.ends[q] or ())] if q != INITIAL else []
            ways += [
                (path + bytes([b]), self.emitted[q][b]) for b in _PLAIN_FIRST if self.step[q][b] == INITIAL
            ]
            for text, done in ways:
                if len(done) == 1 and (done[0] not in best or len(text) < len(best[done[0]])):
                    best[done[0]] = text
        return best


class _Lazy(dict[int, dict[int, bytes]]):
    """By state, worked out when it is first asked for."""

    def __init__(self, make: Callable[[int], dict[int, bytes]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, state: int) -> dict[int, bytes]:
        found = self[state] = self._make(state)
        return found


_PLAIN_FIRST = (*range(0x20, 0x7F), *range(0x20), 0x7F)
"""ASCII, readable characters first: no state is entered by other bytes alone that is not entered by these."""


def _reachable(moves: list[dict[int, int]], accepts: list[int | None]) -> list[set[int]]:
    found = [set[int]() if a is None else {a} for a in accepts]
    grown = True
    while grown:
        grown = False
        for q in range(len(moves) - 1, -1, -1):  # what is reached last is known first
            row = moves[q]
            more = set[int]().union(*(found[to] for to in set(row.values()))) - found[q]
            if more:
                found[q] |= more
                grown = True
    return found


class _Nfa:
    """Thompson's construction; state 0 begins every terminal."""

    def __init__(self) -> None:
        self.moves: list[list[tuple[frozenset[int] | None, int]]] = [[]]
        self.accepts: dict[int, int] = {}
        self.order: dict[int, int] = {}

    def add(self, regular: Regular, number: int) -> None:
        end = self._build(regular, 0)
        self.accepts[end], self.order[end] = number, len(self.order)

    def _new(self) -> int:
        self.moves.append([])
        return len(self.moves) - 1

    def _build(self, regular: Regular, start: int) -> int:
        if regular.kind == "set":
            end = self._new()
            self.moves[start].append((regular.bytes, end))
            return end
        # What begins below must not be entered again from what stands before it.
        at = self._new()
        self.moves[start].append((None, at))
        if regular.kind == "seq":
            for part in regular.parts:
                at = self._build(part, at)
            return at
        end = self._new()
        for part in regular.parts:
            self.moves[self._build(part, at)].append((None, at if regular.kind == "star" else end))
        if regular.kind == "star":
            self.moves[at].append((None, end))
        return end

    def determined(self) -> tuple[int, list[dict[int, int]], list[int | None]]:
        """By subsets: the number of states, their moves by byte, and what each accepts."""
        start = self._closed({0})
        found, moves, todo = {start: 0}, list[dict[int, int]](), [start]
        known: dict[frozenset[int], frozenset[int]] = {}
        for here in todo:  # grows while it is read
            targets: dict[int, list[int]] = {}
            for p in here:
                for on, q in self.moves[p]:
                    for byte in on or ():
                        targets.setdefault(byte, []).append(q)
            row: dict[int, int] = {}
            for byte in sorted(targets):
                to = frozenset(targets[byte])
                closed = known.get(to)
                if closed is None:
                    closed = known[to] = self._closed(to)
                if closed not in found:
                    found[closed] = len(found)
                    todo.append(closed)
                row[byte] = found[closed]
            moves.append(row)
        accepts = [
            self.accepts[min(ends, key=self.order.__getitem__)]
            if (ends := here & self.accepts.keys())
            else None
            for here in todo
        ]
        return len(todo), moves, accepts

    def _closed(self, states: Iterable[int]) -> frozenset[int]:
        found, todo = set(states), list(states)
        while todo:
            for on, to in self.moves[todo.pop()]:
                if on is None and to not in found:
                    found.add(to)
                    todo.append(to)
        return frozenset(found)
