"""What a text does to a configuration, whatever stack it meets: a summary that is applied at once, however long the text.

For each state of the lexer in which a line may begin: the state behind the text, and the cases of the stack, what must stand at
its top and what takes its place. Summaries of neighbours make that of both, so a segment tree has that of any run of lines in
O(log n) steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic

from copydesk.errors import GrammarError
from copydesk.pushdown.automaton import Automaton, Config, Stack
from copydesk.pushdown.interfaces import E, TextEffects
from copydesk.pushdown.lexer import Terminals

Cases = tuple[tuple[Stack, Stack], ...]
"""(what stands at the top of the stack, what takes its place), each bottom first. At most one fits a stack."""
IDENTITY: Cases = (((), ()),)


def joined(first: Cases, then: Cases) -> Cases:
    """The cases of two texts, one behind the other."""
    found: list[tuple[Stack, Stack]] = []
    for old, new in first:
        for more, newer in then:
            known = len(new) - len(more)
            if known >= 0:
                if new[known:] == more:
                    found.append((old, new[:known] + newer))
            elif more[-known:] == new:
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

    def __add__(self, then: Effect) -> Effect:
        found = {}
        for state, (middle, cases) in self.behind.items():
            if middle in then.behind:
                last, more = then.behind[middle]
                both = joined(cases, more)
                if both:
                    found[state] = last, both
        return Effect(found)

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
        self._cases: list[Cases] = [
            tuple((edge.old, edge.new) for some in by_top.values() for edge in some)
            for by_top in automaton.edges
        ]
        lexer = automaton.lexer
        self.nothing = Effect({state: (state, IDENTITY) for state in range(lexer.states)})
        self.end = Effect(
            {
                state: (state, joined(self.of_terminals(last), self._cases[automaton.end]))
                for state, last in enumerate(lexer.ends)
                if last is not None
            }
        )
        """Of the end of a text: it leaves the stack (ACCEPTED,) where the text is whole."""
        self._line = lru_cache(maxsize=1 << 14)(self._of_line)
        self._runs: dict[Terminals, Cases] = {}

    def of_terminals(self, terminals: Terminals) -> Cases:
        cases = IDENTITY
        for terminal in terminals:
            cases = joined(cases, self._cases[terminal])
        return cases

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
        return Effect(found)

    def _run(self, terminals: Terminals) -> Cases:
        found = self._runs.get(terminals)
        if found is None:
            found = self._runs[terminals] = self.of_terminals(terminals)
            if len(self._runs) > 1 << 14:
                self._runs.clear()
        return found

    def first_error(self, lines: Sequence[str]) -> int:
        """The line (1-based) behind which no text of the language can be any more. The number of lines and one more where the end
        comes too early, two more where the lines are a text of the language.
        """
        config = self.automaton.start
        for number, line in enumerate(lines, 1):
            behind = self.of_line(line).of(config)
            if behind is None:
                return number
            config = behind
        return len(lines) + (1 if self.end.of(config) is None else 2)

    def whole(self, lines: Sequence[str]) -> bool:
        """Whether the lines are a text of the language."""
        return self.first_error(lines) == len(lines) + 2


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
