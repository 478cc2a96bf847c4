"""The deterministic pushdown automaton of an LR(1) grammar, made ahead of time (Pre³, arXiv 2506.03887, sections 4 and 5).

An edge carries a terminal, a condition on the top of the stack (the states it must end with, bottom first) and what takes their
place. A shift is an acceptance edge; the reductions that a terminal causes before its shift are worked out here for every stack
they may meet, so that they are part of the edge. A loop of reductions (right recursion makes one, as long as the stack is deep)
is an edge that leaves the terminal to be read again. Edges that do the same whatever stands below are one, and terminals with
the same effect share one. A configuration is a state of the lexer and a stack, a tuple of LR states, the bottom first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from copydesk.errors import GrammarError
from copydesk.pushdown.grammar import END, Grammar
from copydesk.pushdown.lexer import INITIAL, Lexer, Terminals
from copydesk.pushdown.lr import Reduction, Tables

Stack = tuple[int, ...]
Config = tuple[int, Stack]
ACCEPTED = -1
"""The stack's only state behind the end of an accepted text."""


@dataclass(frozen=True, slots=True)
class Edge:
    """`old` at the top of the stack becomes `new`. reads: whether the terminal is done with; else it is read again."""

    old: Stack
    new: Stack
    reads: bool = True


class Automaton:
    """`edges[t]`: of terminal t by the top of the stack; the last terminal is the end of the text. `symbols`: how many LR states
    there are. Two configurations never have two ways to go on: it is checked.
    """

    def __init__(self, lexer: Lexer, edges: list[list[Edge]], symbols: int) -> None:
        self.lexer = lexer
        self.symbols = symbols
        self.end = len(lexer.names)
        self.edges: list[dict[int, tuple[Edge, ...]]] = []
        for terminal, found in enumerate(edges):
            by_top: dict[int, tuple[Edge, ...]] = {}
            for edge in found:
                by_top[edge.old[-1]] = (*by_top.get(edge.old[-1], ()), edge)
            for some in by_top.values():
                if any(a is not b and _fits(a.old, b.old) for a in some for b in some):
                    raise GrammarError(f"two ways to go on at terminal {terminal}")
            self.edges.append(by_top)
        self.start: Config = (INITIAL, (0,))
        self._terminals_of = [
            frozenset(t for t, by_top in enumerate(self.edges) if top in by_top) for top in range(symbols)
        ]

    @classmethod
    def of(cls, grammar: Grammar) -> Automaton:
        """Raises GrammarError for a grammar that is not LR(1)."""
        lexer = Lexer(grammar)
        tables = Tables.of(grammar)
        compiler = _Compiler(tables)
        edges = [compiler.edges(name) for name in (*lexer.names, END)]
        return cls(lexer, edges, len(tables.actions))

    @property
    def loops(self) -> bool:
        """Whether some edge leaves its terminal to be read again: then one terminal may change any number of states."""
        return any(not edge.reads for edge in self.all_edges())

    def all_edges(self) -> Iterator[Edge]:
        """Of all terminals, the end of the text included."""
        return (edge for by_top in self.edges for some in by_top.values() for edge in some)

    def shift(self, stack: Stack, terminal: int) -> Stack | None:
        """The stack behind a terminal, None where it may not come."""
        while True:
            for edge in self.edges[terminal].get(stack[-1], ()):
                if _fits(edge.old, stack):
                    stack = stack[: len(stack) - len(edge.old)] + edge.new
                    if edge.reads:
                        return stack
                    break
            else:
                return None

    def run(self, config: Config, text: bytes) -> Config | None:
        """The configuration behind `text`; None where no text of the language begins so."""
        lexed = self.lexer.run(config[0], text)
        if lexed is None:
            return None
        state, terminals = lexed
        stack = self.shift_all(config[1], terminals)
        return None if stack is None or not self.viable(state, stack) else (state, stack)

    def shift_all(self, stack: Stack, terminals: Terminals) -> Stack | None:
        now: Stack | None = stack
        for terminal in terminals:
            if now is None:
                break
            now = self.shift(now, terminal)
        return now

    def viable(self, state: int, stack: Stack) -> bool:
        """Whether what has begun in the lexer's state may be a terminal that comes next, or is skipped."""
        lexer = self.lexer
        return (
            state == INITIAL
            or lexer.skips[state]
            or any(self.shift(stack, terminal) is not None for terminal in self.reach(state, stack))
        )

    def reach(self, state: int, stack: Stack) -> frozenset[int]:
        """The terminals that what has begun in the lexer's state may be, those apart that never come on the top of the stack."""
        return self.lexer.reach[state] & self._terminals_of[stack[-1]]

    @cached_property
    def below(self) -> list[frozenset[int]]:
        """Of each symbol, those that may stand directly below it."""
        found: list[set[int]] = [set() for _ in range(self.symbols)]
        edges = {(edge.old[0], edge.new) for edge in self.all_edges() if edge.new and edge.new[0] != ACCEPTED}
        for _, new in edges:
            for low, high in pairwise(new):
                found[high].add(low)
        grown = True
        while grown:
            before = sum(map(len, found))
            for bottom, new in edges:
                found[new[0]] |= found[bottom]
            grown = sum(map(len, found)) > before
        return [frozenset(some) for some in found]

    def accepts(self, config: Config) -> bool:
        """Whether the text may end here."""
        last = self.lexer.ends[config[0]]
        if last is None:
            return False
        stack = self.shift_all(config[1], last)
        return stack is not None and self.shift(stack, self.end) is not None


def _fits(old: Stack, stack: Stack) -> bool:
    return stack[len(stack) - len(old) :] == old if len(old) <= len(stack) else False


class _Compiler:
    """Edges by running the LR tables on stacks of which only the top is known, and branching where more must be."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.below: list[set[int]] = [set() for _ in tables.actions]
        for state, row in enumerate(tables.actions):
            targets = [to for to in row.values() if isinstance(to, int)]
            for to in (*targets, *tables.gotos[state].values()):
                self.below[to].add(state)
        self.default = list(tables.default)
        for state in range(len(self.default)):
            if self._comes_again(state):
                self.default[state] = None

    def _comes_again(self, state: int) -> bool:
        """Whether reductions at once, from `state` on, lead to it again: then they wait for a terminal, as loops do."""
        found, todo = set[int](), [state]
        while todo:
            here = todo.pop()
            reduction = self.default[here]
            if reduction is None:
                continue
            for _, stack in self._reduced((here,), (here,), reduction):
                if stack[-1] not in found:
                    found.add(stack[-1])
                    todo.append(stack[-1])
        return state in found

    def edges(self, terminal: str) -> list[Edge]:
        found: set[Edge] = set()
        for top in range(len(self.tables.actions)):
            if self.default[top] is None:  # the others are never seen: they are reduced at once
                found |= set(self._from(terminal, (top,), (top,), frozenset()))
        return sorted(self._merged(found), key=lambda edge: (edge.old, edge.new))

    def _from(self, terminal: str, old: Stack, now: Stack, seen: frozenset[Stack]) -> Iterable[Edge]:
        """The edges whose condition ends with `old`, which has become `now`."""
        action = self.tables.actions[now[-1]].get(terminal)
        if action is None:
            return
        if isinstance(action, int):
            for longer, stack in self._settled(old, (*now, action)):
                yield Edge(longer, stack)
        elif action.production == 0:
            for longer, stack in self._known(old, now, 2):
                if stack[-2] == 0:
                    yield Edge(longer, (ACCEPTED,))
        else:
            for longer, stack in self._reduced(old, now, action):
                for after, settled in self._settled(longer, stack):
                    # What is left of the known stack is one state and what it revealed: the loop's, where it was so before.
                    again = settled[-2:] if len(settled) <= 2 else ()
                    if again and again in seen:
                        yield Edge(after, settled, reads=False)
                    else:
                        yield from self._from(terminal, after, settled, seen | {again} if again else seen)

    def _settled(self, old: Stack, now: Stack) -> Iterable[tuple[Stack, Stack]]:
        """Reductions that need no look at what comes."""
        reduction = self.default[now[-1]]
        if reduction is None:
            yield old, now
            return
        for longer, stack in self._reduced(old, now, reduction):
            yield from self._settled(longer, stack)

    def _reduced(self, old: Stack, now: Stack, reduction: Reduction) -> Iterable[tuple[Stack, Stack]]:
        for longer, stack in self._known(old, now, reduction.length + 1):
            kept = stack[: len(stack) - reduction.length]
            to = self.tables.gotos[kept[-1]].get(reduction.left)
            if to is not None:
                yield longer, (*kept, to)

    def _known(self, old: Stack, now: Stack, count: int) -> Iterable[tuple[Stack, Stack]]:
        """The stack with at least `count` states of it known, for everything that may stand there."""
        if len(now) >= count:
            yield old, now
            return
        # What is at the bottom of what is known was never touched, or it came of what stood there: look below the old one.
        for below in sorted(self.below[old[0]]):
            yield from self._known((below, *old), (below, *now), count)

    def _merged(self, edges: set[Edge]) -> set[Edge]:
        """Edges that do the same whatever stands below, as one that does not look there."""
        merged = True
        while merged:
            merged = False
            for edge in sorted(edges, key=lambda edge: (-len(edge.old), edge.old)):
                if (
                    len(edge.old) < 2
                    or edge.old[:1] != edge.new[:1]
                    or edge.old[0] not in self.below[edge.old[1]]
                ):
                    continue
                alike = {
                    Edge((below, *edge.old[1:]), (below, *edge.new[1:]), edge.reads)
                    for below in self.below[edge.old[1]]
                }
                if alike <= edges:
                    edges = edges - alike | {Edge(edge.old[1:], edge.new[1:], edge.reads)}
                    merged = True
                    break
        return edges
