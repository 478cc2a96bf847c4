"""LR(1) tables: Knuth's item sets, those of the same core merged as long as no conflict comes of it (as in LALR)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from copydesk.errors import GrammarError
from copydesk.pushdown.grammar import END, Grammar

Item = tuple[int, int, str]
"""Production, symbols seen of its right side, and the terminal that may follow it."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """The last `length` states of the stack become one, that of `left`; production 0 is the whole text's."""

    left: str
    length: int
    production: int


Action = int | Reduction
"""What a terminal does: the state it shifts to, or a reduction before it."""


@dataclass(frozen=True, slots=True)
class Tables:
    """actions, gotos: of each state, by terminal and by other symbol. State 0 is the bottom of every stack. default: the
    reduction of a state that can do nothing else, whatever comes.
    """

    actions: list[dict[str, Action]]
    gotos: list[dict[str, int]]
    default: list[Reduction | None]

    @classmethod
    def of(cls, grammar: Grammar) -> Tables:
        """Raises GrammarError for a grammar that is not LR(1)."""
        sets, moves = _Items(grammar).collection()
        exact = _tables(grammar, sets, moves, [(k,) for k in range(len(sets))])
        cores: dict[frozenset[tuple[int, int]], list[int]] = {}
        for k, items in enumerate(sets):
            cores.setdefault(frozenset((p, at) for p, at, _ in items), []).append(k)
        try:
            return _tables(grammar, sets, moves, [tuple(group) for group in cores.values()])
        except GrammarError:
            return exact


def _tables(
    grammar: Grammar,
    sets: list[frozenset[Item]],
    moves: list[dict[str, int]],
    groups: Iterable[tuple[int, ...]],
) -> Tables:
    groups = sorted(groups)
    state_of = {k: number for number, group in enumerate(groups) for k in group}
    productions = _augmented(grammar)
    lefts = {left for left, _ in productions}
    actions: list[dict[str, Action]] = []
    gotos: list[dict[str, int]] = []
    default: list[Reduction | None] = []
    for group in groups:
        shifts = {name: state_of[to] for k in group for name, to in moves[k].items()}
        row: dict[str, Action] = {name: to for name, to in shifts.items() if name not in lefts}
        for production, at, after in sorted({item for k in group for item in sets[k]}):
            left, right = productions[production]
            if at == len(right):
                reduction = Reduction(left, at, production)
                if row.setdefault(after, reduction) != reduction:
                    raise GrammarError(f"the grammar is not LR(1): two ways to go on at {after!r}")
        actions.append(row)
        gotos.append({name: to for name, to in shifts.items() if name in lefts})
        only = set(row.values())
        one = next(iter(only)) if len(only) == 1 else None
        default.append(one if isinstance(one, Reduction) and one.production else None)
    return Tables(actions, gotos, default)


def _augmented(grammar: Grammar) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("$start", (grammar.productions[0][0],)), *grammar.productions)


class _Items:
    def __init__(self, grammar: Grammar) -> None:
        self.productions = _augmented(grammar)
        self.of: dict[str, list[int]] = {}
        for number, (left, _) in enumerate(self.productions):
            self.of.setdefault(left, []).append(number)
        self.empty: set[str] = set()
        self.first: dict[str, set[str]] = {left: set() for left in self.of}
        grown = True
        while grown:
            before = sum(map(len, self.first.values())) + len(self.empty)
            for left, right in self.productions:
                self.first[left] |= self._first(right)
                if all(name in self.empty for name in right):
                    self.empty.add(left)
            grown = sum(map(len, self.first.values())) + len(self.empty) > before

    def _first(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for name in names:
            found |= self.first.get(name, {name})
            if name not in self.empty:
                break
        return found

    def _closure(self, items: Iterable[Item]) -> frozenset[Item]:
        found = set(items)
        todo = list(found)
        while todo:
            production, at, after = todo.pop()
            right = self.productions[production][1]
            if at == len(right) or right[at] not in self.of:
                continue
            rest = right[at + 1 :]
            follow = self._first(rest) | ({after} if all(name in self.empty for name in rest) else set())
            more = {(p, 0, terminal) for p in self.of[right[at]] for terminal in follow} - found
            found |= more
            todo += more
        return frozenset(found)

    def collection(self) -> tuple[list[frozenset[Item]], list[dict[str, int]]]:
        """Every set of items, and where each symbol leads from it."""
        start = self._closure([(0, 0, END)])
        number, sets, moves = {start: 0}, [start], list[dict[str, int]]()
        for items in sets:  # grows while it is read
            kernels: dict[str, set[Item]] = {}
            for production, at, after in items:
                right = self.productions[production][1]
                if at < len(right):
                    kernels.setdefault(right[at], set()).add((production, at + 1, after))
            row: dict[str, int] = {}
            for name in sorted(kernels):
                closed = self._closure(kernels[name])
                if closed not in number:
                    number[closed] = len(sets)
                    sets.append(closed)
                row[name] = number[closed]
            moves.append(row)
        return sets, moves
