"""Which configurations lead to a goal, and by how little text: what has to be known before anything is written.

The stacks from which some text leads to given ones are a regular set; its automaton is found by saturation (Bouajjani, Esparza
and Maler's pre*), with the least number of bytes that each step costs. Reading a stack in it says whether it leads to the goal,
so a text that may still be ended as it must is told from one that may not without any search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from copydesk.pushdown.automaton import Automaton, Config, Stack
from copydesk.pushdown.lexer import INITIAL

SEPARATOR = b" "
"""What is skipped between terminals of a shortest text."""

Node = tuple[object, ...]
_TOP: Node = ("top",)
"""Where a stack begins to be read, from its top. Other nodes are stacks (what is left to read is just that), and places within
edges."""


class Goal:
    """The configurations from which some text leads to one of `targets`: stacks by the lexer's state there."""

    def __init__(self, automaton: Automaton, targets: Mapping[int, Iterable[Stack]]) -> None:
        self.automaton = automaton
        self.targets = {state: frozenset(stacks) for state, stacks in targets.items()}
        lexer = automaton.lexer
        self._cost = [
            len(lexer.finish[INITIAL].get(terminal, b"")) + len(SEPARATOR)
            for terminal in range(automaton.end)
        ]
        readers = {
            stacks: _Reader(automaton, self._cost, stacks) for stacks in set(self.targets.values()) if stacks
        }
        self._readers = {state: readers[stacks] for state, stacks in self.targets.items() if stacks}
        self._known: dict[Config, float] = {}
        self._below: dict[Stack, int] = {}
        self._kinds: dict[tuple[frozenset[Node], ...], int] = {}

    def distance(self, config: Config) -> float:
        """Bytes of a short text that leads to the goal; infinite where none does."""
        found = self._known.get(config)
        if found is None:
            found = self._known[config] = self._best(config)[0]
        return found

    def below(self, stack: Stack) -> int:
        """A number for the lower part of a stack: what may lead to the goal on it is the same for all parts of one number."""
        found = self._below.get(stack)
        if found is None:
            kinds = tuple(frozenset(reader.left(stack)) for reader in self._readers.values())
            found = self._below[stack] = self._kinds.setdefault(kinds, len(self._kinds))
        return found

    def leads(self, config: Config) -> bool:
        """Whether some text leads from `config` to the goal."""
        state, stack = config
        lexer = self.automaton.lexer
        for target, reader in self._readers.items():
            if stack in self.targets[target] and target in lexer.inside[state]:
                return True
            if target not in lexer.inside[INITIAL]:
                continue
            if INITIAL in lexer.inside[state] and reader.distance(stack) < float("inf"):
                return True
            for terminal in lexer.reach[state]:
                after = self.automaton.shift(stack, terminal)
                if after is not None and reader.distance(after) < float("inf"):
                    return True
        return False

    def path(self, config: Config) -> bytes:
        """A short text that leads to the goal. The configuration must lead there."""
        written = b""
        while True:
            _, text, after = self._best(config)
            written += text
            if after is None:
                return written
            config = after

    def _best(self, config: Config) -> tuple[float, bytes, Config | None]:
        """The least distance, the first piece of the text, and what stands behind it if that is not the goal."""
        state, stack = config
        lexer = self.automaton.lexer
        best: tuple[float, bytes, Config | None] = (float("inf"), b"", None)
        for target, reader in self._readers.items():
            if stack in self.targets[target] and target in lexer.inside[state]:
                text = lexer.inside[state][target]
                best = min(best, (len(text), text, None), key=_first)
            if target not in lexer.inside[INITIAL]:
                continue
            last = float(len(lexer.inside[INITIAL][target]))
            if state != INITIAL and INITIAL in lexer.inside[state]:
                text = lexer.inside[state][INITIAL]
                ways = reader.distance(stack) + len(text) + last
                best = min(best, (ways, text, (INITIAL, stack)), key=_first)
            for terminal, text in lexer.finish[state].items():
                # Working out the stack takes longer than looking whether there is any.
                after = self.automaton.shift(stack, terminal)
                if after is not None:
                    ways = len(text) + len(SEPARATOR) + reader.distance(after) + last
                    best = min(best, (ways, text + SEPARATOR, (INITIAL, after)), key=_first)
        return best


def _first(way: tuple[float, bytes, Config | None]) -> float:
    return way[0]


class _Reader:
    """The weighted automaton of the stacks that lead to any of some stacks, between terminals."""

    def __init__(self, automaton: Automaton, costs: list[int], stacks: Iterable[Stack]) -> None:
        self.weights: dict[tuple[Node, int], dict[Node, float]] = {}
        for stack in stacks:
            self._relax(_TOP, stack[-1], stack[:-1], 0)
            for size in range(1, len(stack)):
                self._relax(stack[:size], stack[size - 1], stack[: size - 1], 0)
        cheapest: dict[tuple[Stack, Stack], float] = {}
        for terminal, price in enumerate(costs):
            for some in automaton.edges[terminal].values():
                for edge in some:
                    here = edge.old, edge.new
                    cheapest[here] = min(price, cheapest.get(here, float("inf")))
        rules: list[tuple[Node, int, Stack, float]] = []
        for (old, new), cost in cheapest.items():
            at = _TOP
            for place in range(len(old) - 1, 0, -1):
                within: Node = (old, new, place)
                self._relax(at, old[place], within, 0)
                at = within
            rules.append((at, old[0], new, cost))
        grown = True
        while grown:
            grown = False
            for at, bottom, new, cost in rules:
                for node, weight in self._read(_TOP, new).items():
                    grown = self._relax(at, bottom, node, weight + cost) or grown
        self._by_symbol: dict[int, list[tuple[Node, Node, float]]] = {}
        for (at, symbol), row in self.weights.items():
            for node, weight in row.items():
                self._by_symbol.setdefault(symbol, []).append((at, node, weight))
        self._left: dict[Stack, dict[Node, float]] = {(): {(): 0.0}}

    def _relax(self, at: Node, symbol: int, to: Node, weight: float) -> bool:
        row = self.weights.setdefault((at, symbol), {})
        if weight < row.get(to, float("inf")):
            row[to] = weight
            return True
        return False

    def _read(self, start: Node, symbols: Stack) -> dict[Node, float]:
        now: dict[Node, float] = {start: 0.0}
        for symbol in reversed(symbols):
            after: dict[Node, float] = {}
            for node, weight in now.items():
                for to, more in self.weights.get((node, symbol), {}).items():
                    if weight + more < after.get(to, float("inf")):
                        after[to] = weight + more
            now = after
        return now

    def distance(self, stack: Stack) -> float:
        return self.left(stack).get(_TOP, float("inf"))

    def left(self, stack: Stack) -> dict[Node, float]:
        """What reading the whole stack costs from each node, as far as it can be read from there."""
        known = len(stack)
        while stack[:known] not in self._left:
            known -= 1
        found = self._left[stack[:known]]
        for size in range(known + 1, len(stack) + 1):
            below, found = found, {}
            for at, node, weight in self._by_symbol.get(stack[size - 1], ()):
                if node in below and weight + below[node] < found.get(at, float("inf")):
                    found[at] = weight + below[node]
            self._left[stack[:size]] = found
        return found
