"""What the lines of a page are to the parser of the whole document, and what must stand in front of those behind the scope."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Generic

from copydesk.grammar.rules import Range
from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.effects import Effect, Effects, LineEffects
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.interfaces import E, TextEffects, TextGoal, first_error
from copydesk.pushdown.languages import without_mark

LOST: Config = (-1, ())
"""The parser is behind an error that was in the document before: nothing is asked of what follows."""


class ParsedPage(ABC, Generic[E]):
    """What a page's lines are to the parser of the whole document.

    lines: the document's view text. spans: the document lines that each line of the page stands for. A position is a line of the
    page, behind which an op ends; 0 is in front of the page.
    """

    def __init__(self, effects: TextEffects[E], lines: Sequence[str], spans: Sequence[Range]) -> None:
        lines = without_mark(lines)
        self.effects = effects
        self._tree = LineEffects(effects, lines)
        self._count = len(lines)
        self._ends = [spans[0][0] - 1 if spans else 0, *(last for _, last in spans)]
        self._cells = [self._tree.of(*span) for span in spans]
        self._error = first_error(effects, lines)
        self._whole = self._error > self._count + 1
        self._steps: dict[tuple[int, Config], Config | None] = {}
        self._rests: dict[int, E] = {}
        self._befores: dict[int, Config | None] = {}
        entry = self._before(self._ends[0] + 1)
        self.entry = LOST if entry is None else entry

    def copy(self, config: Config, first: int, last: int) -> Config | None:
        """The configuration behind lines first..last of the page; None where they may not stand behind `config`."""
        now: Config | None = config
        for line in range(first, last + 1):
            if now is None or now == LOST:
                break
            if (line, now) not in self._steps:
                behind = self._cells[line - 1].of(now)
                self._steps[line, now] = LOST if behind is None and self._excused(line, now) else behind
            now = self._steps[line, now]
        return now

    def _excused(self, line: int, config: Config) -> bool:
        """Whether the parser may be lost in a line of the page: in the first error as it was before, or in one behind it that no
        text in its place would mend."""
        if self._ends[line - 1] < self._error <= self._ends[line]:
            return config == self._before(self._ends[line - 1] + 1)
        return self._error <= self._ends[line - 1] and self._second_error <= self._ends[line]

    @cached_property
    def _second_error(self) -> int:
        """The next line that no text in place of the first error's mends."""
        return self._furthest(self._error + 1)[0]

    def _before(self, line: int) -> Config | None:
        """The configuration in front of a line of the document as it is; None behind its first error."""
        if line not in self._befores:
            self._befores[line] = self._tree.of(1, line - 1).of(self.effects.automaton.start)
        return self._befores[line]

    def fits(self, position: int, config: Config) -> bool:
        """Whether everything behind `position` may follow as it is."""
        begin = self._ends[position] + 1
        if config == LOST or self._rest(begin).of(config) is not None:
            return True
        kept = self._kept(begin)
        return kept is not None and kept.of(config) == self._before(self._error)

    def leads(self, position: int, config: Config) -> bool:
        """Whether some text makes everything behind `position` fit."""
        return config == LOST or self.goal(position, config[1]).leads(config)

    @abstractmethod
    def goal(self, position: int, stack: Stack) -> TextGoal:
        """What text in front of everything behind `position` has to lead to, from `stack` or what stands on it."""

    @abstractmethod
    def goal_at(self, config: Config) -> TextGoal:
        """Text that leads to just this configuration."""

    def _rest(self, begin: int) -> E:
        """Of the lines from `begin` on, which must be readable, with the end of the document where it must be whole."""
        found = self._rests.get(begin)
        if found is None:
            if self._whole or begin <= self._error:
                found = self._tree.of(begin, self._count) + self.effects.end
            else:
                found = self._furthest(begin)[1]
            self._rests[begin] = found
        return found

    def _kept(self, begin: int) -> E | None:
        """Of the lines from `begin` on down to the first error, where there is one behind."""
        return None if self._whole or begin > self._error else self._tree.of(begin, self._error - 1)

    @abstractmethod
    def _furthest(self, begin: int) -> tuple[int, E]:
        """Of as many lines from `begin` on as can be read behind any text, with the end where that may be next; and the line
        where it ends, which no text before mends."""


class GrammarPage(ParsedPage[Effect]):
    """A page of a language whose whole grammar is an automaton."""

    def __init__(self, effects: Effects, lines: Sequence[str], spans: Sequence[Range]) -> None:
        super().__init__(effects, lines, spans)
        self._automaton = effects.automaton
        self._goals: dict[tuple[int, Stack], Goal] = {}
        self._exact: dict[Config, Goal] = {}

    def goal(self, position: int, stack: Stack) -> Goal:
        begin = self._ends[position] + 1
        rest, kept = self._rest(begin), self._kept(begin)
        # What is asked down to the end of the document is asked of whole stacks; else the rest of the stack may stay as it is.
        asked = [old for _, cases in rest.behind.values() for old, _ in cases]
        below = () if all(old[:1] == (0,) for old in asked) else stack
        found = self._goals.get((position, below))
        if found is None:
            targets: dict[int, set[Stack]] = {state: set() for state in self._automaton.lexer.line_starts}
            for state in targets:
                for old, _ in rest.behind.get(state, (0, ()))[1]:
                    sizes = (0,) if old[:1] == (0,) else range(1, len(below) + 1)
                    targets[state] |= {(*below[:size], *old) for size in sizes}
                before = self._before(self._error) if kept is not None else None
                last, cases = kept.behind.get(state, (0, ())) if kept is not None else (0, ())
                for old, new in cases:
                    if (
                        before is not None
                        and before[0] == last
                        and before[1][len(before[1]) - len(new) :] == new
                    ):
                        targets[state].add(before[1][: len(before[1]) - len(new)] + old)
            found = self._goals[position, below] = Goal(self._automaton, targets)
        return found

    def goal_at(self, config: Config) -> Goal:
        found = self._exact.get(config)
        if found is None:
            found = self._exact[config] = Goal(self._automaton, {config[0]: [config[1]]})
        return found

    def _furthest(self, begin: int) -> tuple[int, Effect]:
        found = self.effects.nothing
        for line in range(begin, self._count + 1):
            more = found + self._tree.of(line, line)
            if not more.behind:
                return line, found
            found = more
        whole = found + self.effects.end
        return (self._count + 2, whole) if whole.behind else (self._count + 1, found)
