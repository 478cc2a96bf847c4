"""What a text does to a configuration, whatever stack it meets: a summary that is applied at once, however long the text.

For each state of the lexer in which a line may begin: the state behind the text, and the cases of the stack, what must stand at
its top and what takes its place. Summaries of neighbours make that of both, so a segment tree has that of any run of lines in
O(log n) steps.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic

from copydesk.errors import GrammarError
from copydesk.pushdown.automaton import Automaton, Config, Stack
from copydesk.pushdown.interfaces import E, TextEffects, first_error
from copydesk.pushdown.lexer import Terminals

Cases = tuple[tuple[Stack, Stack], ...]
"""(what stands at the top of the stack, what takes its place), each bottom first. At most one fits a stack."""
IDENTITY: Cases = (((), ()),)


Below = Sequence[Container[int]]
"""Of each symbol of the stack, those that may stand directly below it."""
_SMALL = 16
"""So many cases are looked through; of more, those that may fit are found by the top of the stack."""


def joined(first: Cases, then: Cases, below: Below) -> Cases:
    """The cases of two texts, one behind the other, but for those of stacks that there are not."""
    found: list[tuple[Stack, Stack]] = []
    by_top: dict[int, list[tuple[Stack, Stack]]] | None = None
    if len(then) > _SMALL and len(first) > 1:
        by_top = {}
        for case in then:
            if case[0]:
                by_top.setdefault(case[0][-1], []).append(case)
    for old, new in first:
        fitting: Sequence[tuple[Stack, Stack]] = then
        if by_top is not None and new:
            fitting = by_top.get(new[-1], ())
        for more, newer in fitting:
            known = len(new) - len(more)
            if known >= 0:
                if new[known:] == more:
                    found.append((old, new[:known] + newer))
            elif more[-known:] == new and (not old or more[-known - 1] in below[old[0]]):
                found.append((more[:-known] + old, newer))
    return tuple(found)


def applied(cases: Cases, stack: Stack) -> Stack | None:
    """The stack behind a text with these cases; None where none of them fits."""
    size = len(stack)
    for old, new in cases:
        if len(old) <= size and stack[size - len(old) :] == old:
            return stack[: size - len(old)] + new
    return None


@dataclass(frozen=True, slots=True)
class Effect:
    """behind: by the state of the lexer before the text: that behind it, and the cases. A state that is not there cannot stand
    before the text.
    """

    behind: dict[int, tuple[int, Cases]]
    below: Below = field(repr=False, compare=False)

    def __add__(self, then: Effect) -> Effect:
        found = {}
        for state, (middle, cases) in self.behind.items():
            if middle in then.behind:
                last, more = then.behind[middle]
                both = joined(cases, more, self.below)
                if both:
                    found[state] = last, both
        return Effect(found, self.below)

    def of(self, config: Config) -> Config | None:
        """The configuration behind the text; None where it may not stand behind `config`."""
        state, cases = self.behind.get(config[0], (0, ()))
        stack = applied(cases, config[1])
        return None if stack is None else (state, stack)


class Effects:
    """The effects of one automaton's texts. Raises GrammarError for one with loops of reductions, which have no finite
    summary."""

    def __init__(self, automaton: Automaton) -> None:
        if automaton.loops:
            raise GrammarError("reductions may loop: write the grammar's lists with left recursion")
        self.automaton = automaton
        self.below = automaton.below
        self._cases: list[Cases] = [
            tuple((edge.old, edge.new) for some in by_top.values() for edge in some)
            for by_top in automaton.edges
        ]
        lexer = automaton.lexer
        self.nothing = Effect({state: (state, IDENTITY) for state in lexer.line_starts}, self.below)
        self.end = Effect(
            {
                state: (state, joined(self.of_terminals(last), self._cases[automaton.end], self.below))
                for state, last in enumerate(lexer.ends)
                if last is not None
            },
            self.below,
        )
        """Of the end of a text: it leaves the stack (ACCEPTED,) where the text is whole."""
        self._line = lru_cache(maxsize=1 << 14)(self._of_line)
        self._runs: dict[Terminals, Cases] = {}
        self._behind: dict[tuple[int, Terminals], Cases] = {}

    def of_terminals(self, terminals: Terminals) -> Cases:
        cases = IDENTITY
        for terminal in terminals:
            cases = joined(cases, self._cases[terminal], self.below)
        return cases

    def of_terminals_behind(self, top: int, terminals: Terminals) -> Cases:
        """Those that fit stacks with `top` at the top."""
        known = self._behind.get((top, terminals))
        if known is None:
            if not terminals:
                known = (((top,), (top,)),)
            else:
                before = self.of_terminals_behind(top, terminals[:-1])
                known = joined(before, self._cases[terminals[-1]], self.below) if before else ()
            self._behind[top, terminals] = known
        return known

    def of_line(self, line: str) -> Effect:
        """Of one line of view text."""
        return self._line(line)

    def _of_line(self, line: str) -> Effect:
        lexer, found = self.automaton.lexer, {}
        data = line.encode("utf-8", "surrogatepass")
        for state in lexer.line_starts:
            lexed = lexer.run(state, data)
            cases = self._run(lexed[1]) if lexed is not None else ()
            if lexed is not None and cases:
                found[state] = lexed[0], cases
        return Effect(found, self.below)

    def _run(self, terminals: Terminals) -> Cases:
        found = self._runs.get(terminals)
        if found is None:
            found = self._runs[terminals] = self.of_terminals(terminals)
            if len(self._runs) > 1 << 14:
                self._runs.clear()
        return found

    def whole(self, lines: Sequence[str]) -> bool:
        """Whether the lines are a text of the language."""
        return first_error(self, lines) == len(lines) + 2


class LineEffects(Generic[E]):
    """The effect of any run of a document's lines: a segment tree whose nodes are worked out when they are first asked for."""

    def __init__(self, effects: TextEffects[E], lines: Sequence[str]) -> None:
        self.effects = effects
        self.lines = lines
        self._nodes: dict[tuple[int, int], E] = {}

    def of(self, first: int, last: int) -> E:
        """Of lines first..last, 1-based and inclusive; of nothing where there are none."""
        found = self.effects.nothing
        at = first - 1
        while at < last:
            # The largest node that begins here and ends in time.
            size = at & -at or 1 << last.bit_length()
            while size > last - at:
                size >>= 1
            found = self._node(at, size) if found is self.effects.nothing else found + self._node(at, size)
            at += size
        return found

    def _node(self, at: int, size: int) -> E:
        if size == 1:
            return self.effects.of_line(self.lines[at])
        node = self._nodes.get((at, size))
        if node is None:
            half = size // 2
            node = self._nodes[at, size] = self._node(at, half) + self._node(at + half, half)
        return node
