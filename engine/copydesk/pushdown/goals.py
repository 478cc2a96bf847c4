"""Which configurations lead to a goal, and by how little text: what has to be known before anything is written.

The stacks from which some text leads to given ones are a regular set; its automaton is found by saturation (Bouajjani, Esparza
and Maler's pre*), with the least number of bytes that each step costs. Reading a stack in it says whether it leads to the goal,
so a text that may still be ended as it must is told from one that may not without any search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from copydesk.pushdown.automaton import Automaton, Config, Stack
from copydesk.pushdown.lexer import INITIAL

SEPARATOR = b" "
"""What is skipped between terminals of a shortest text."""

Node = int
_TOP: Node = 0
"""Where a stack begins to be read, from its top. Other nodes are places within edges, and what is left to read of a goal's
stacks."""


class Goal:
    """The configurations from which some text leads to one of `targets`: stacks by the lexer's state there."""

    def __init__(self, automaton: Automaton, targets: Mapping[int, Iterable[Stack]]) -> None:
        self.automaton = automaton
        self.targets = {state: frozenset(stacks) for state, stacks in targets.items()}
        readers = {stacks: _Reader(automaton, stacks) for stacks in set(self.targets.values()) if stacks}
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
            for terminal in self.automaton.reach(state, stack):
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

    def closing(self, config: Config, *, ends_line: bool) -> bytes:
        """The same. ends_line: it ends with a newline."""
        return self.path(config) + b"\n" * ends_line

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


@dataclass(frozen=True, slots=True)
class _Rule:
    """An edge as the automaton of stacks sees it: behind the node `at`, which has read all of the edge's condition but its
    bottom, `bottom` costs what `new` costs, and `cost` bytes.
    """

    at: Node
    bottom: int
    new: Stack
    cost: float


@lru_cache(maxsize=8)
def _rules(automaton: Automaton) -> tuple[_Weights, dict[int, list[_Rule]], int]:
    """What the rules of an automaton's edges say whatever the goal is, the rules by the bottom of `new`, and how many nodes that
    takes."""
    finish = automaton.lexer.finish[INITIAL]
    cheapest: dict[tuple[Stack, Stack], float] = {}
    for terminal in range(automaton.end):
        price = len(finish.get(terminal, b"")) + len(SEPARATOR)
        for some in automaton.edges[terminal].values():
            for edge in some:
                here = edge.old, edge.new
                cheapest[here] = min(price, cheapest.get(here, float("inf")))
    weights, rules, count = _Weights(), list[_Rule](), 1
    for (old, new), cost in cheapest.items():
        at = _TOP
        for place in range(len(old) - 1, 0, -1):
            weights.relax(at, old[place], count, 0)
            at, count = count, count + 1
        rules.append(_Rule(at, old[0], new, cost))
    grown = True
    while grown:
        grown = False
        for node in range(count):
            grown = weights.saturate(rules, node) or grown
    by_bottom: dict[int, list[_Rule]] = {}
    for rule in rules:
        if rule.new:
            by_bottom.setdefault(rule.new[0], []).append(rule)
    return weights, by_bottom, count


class _Weights:
    """Transitions of the automaton of stacks: `into[symbol, node]` has the nodes from which `symbol` leads to `node`, at what
    cost."""

    def __init__(self) -> None:
        self.into: dict[tuple[int, Node], dict[Node, float]] = {}

    def relax(self, at: Node, symbol: int, to: Node, weight: float) -> bool:
        row = self.into.setdefault((symbol, to), {})
        if weight < row.get(at, float("inf")):
            row[at] = weight
            return True
        return False

    def saturate(self, rules: list[_Rule], to: Node) -> bool:
        """All that the rules say of reading up to the node `to`, where what comes before it is known. Whether that is more."""
        more, grown = False, True
        while grown:
            grown = False
            for rule in rules:
                weight = self._read(rule.new, to)
                grown = self.relax(rule.at, rule.bottom, to, weight + rule.cost) or grown
            more = more or grown
        return more

    def spread(self, by_bottom: Mapping[int, Sequence[_Rule]], to: Node) -> None:
        """The same for a node that no rule's condition leads to: there a rule says more only when the bottom of `new` does."""
        todo = [symbol for symbol, node in self.into if node == to]
        while todo:
            for rule in by_bottom.get(todo.pop(), ()):
                if self.relax(rule.at, rule.bottom, to, self._read(rule.new, to) + rule.cost):
                    todo.append(rule.bottom)

    def _read(self, symbols: Stack, to: Node) -> float:
        """What reading `symbols` costs from the top to `to`."""
        now = {to: 0.0}
        for symbol in symbols:
            before: dict[Node, float] = {}
            for node, weight in now.items():
                for at, more in self.into.get((symbol, node), {}).items():
                    if weight + more < before.get(at, float("inf")):
                        before[at] = weight + more
            now = before
        return now.get(_TOP, float("inf"))


class _Reader:
    """The weighted automaton of the stacks that lead to any of some stacks, between terminals."""

    def __init__(self, automaton: Automaton, stacks: Iterable[Stack]) -> None:
        general, by_bottom, count = _rules(automaton)
        self._weights = weights = _Weights()
        weights.into = {key: dict(row) for key, row in general.into.items()}
        rests: dict[Stack, Node] = {(): count}
        for stack in stacks:
            for size in range(1, len(stack)):
                rest = stack[:size]
                if rest not in rests:
                    rests[rest] = count + len(rests)
                    weights.relax(rests[rest], rest[-1], rests[rest[:-1]], 0)
            weights.relax(_TOP, stack[-1], rests[stack[:-1]], 0)
        # What is read before a node is what stands above it: the highest first.
        for rest in sorted(rests, key=len, reverse=True):
            weights.spread(by_bottom, rests[rest])
        self._left: dict[Stack, dict[Node, float]] = {(): {rests[()]: 0.0}}

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
            for node, rest in below.items():
                for at, weight in self._weights.into.get((stack[size - 1], node), {}).items():
                    if weight + rest < found.get(at, float("inf")):
                        found[at] = weight + rest
            self._left[stack[:size]] = found
        return found
