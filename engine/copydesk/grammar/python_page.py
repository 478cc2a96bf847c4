"""Pages of Python, held to the layer that no parser forgives (`pushdown/python`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from copydesk.grammar.parsed_page import ParsedPage
from copydesk.grammar.rules import Range
from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.python.effects import Effect, Effects
from copydesk.pushdown.python.goal import Goal
from copydesk.pushdown.python.lexer import LINE_START


class PythonPage(ParsedPage[Effect]):
    """A page of a Python document. Text leads from everywhere to everything; what counts is where it may end.

    Behind the document's first error nobody can say what was meant. What is asked of text in its place is that the lines behind
    can be read as far as they can where lines of code begin, indented as they want it: as far as from the line of the page where
    that leads least far, so that there is always some such text.
    """

    def __init__(self, effects: Effects, lines: Sequence[str], spans: Sequence[Range]) -> None:
        super().__init__(effects, lines, spans)
        self._layer = effects.automaton
        self._goals: dict[Config, Goal] = {}
        self._plain: dict[int, Config] = {}

    def goal(self, position: int, stack: Stack) -> Goal:  # noqa: ARG002
        begin = self._ends[position] + 1
        return self.goal_at(self._before(begin) or self._wanted(begin))

    def goal_at(self, config: Config) -> Goal:
        found = self._goals.get(config)
        if found is None:
            found = self._goals[config] = Goal(self._layer, config)
        return found

    def _wanted(self, begin: int) -> Config:
        """Where a line of code begins, with every level of indentation that lines from `begin` on lead back to."""
        found = self._plain.get(begin)
        if found is None:
            levels, shallowest = {0}, None
            for number in range(begin, self._count + 1):
                level = self._layer.level(self._tree.lines[number - 1])
                if level is not None and (shallowest is None or level < shallowest):
                    shallowest = level
                    levels.add(level)
                if shallowest == 0:
                    break
            found = self._plain[begin] = LINE_START, self._layer.nested(levels)
        return found

    @cached_property
    def _reaches(self) -> Range:
        """Down to which line everything behind the first error can be read, wherever on the page text takes its place; and the
        same of the texts behind which the whole page can be read. As `first_error` counts."""
        behind = self._ends[-1] + 1
        found = [self._read_down(begin) for begin in range(self._error + 1, behind + 1)]
        return min(found), min(line for line in found if line >= behind)

    def _read_down(self, begin: int) -> int:
        """The first line from `begin` on that cannot be read where a line of code begins."""
        config = self._wanted(begin)
        last = self._tree.of(begin, self._count).of(config)
        if last is not None:
            return self._count + (1 if self.effects.end.of(last) is None else 2)
        for line in range(begin, self._count + 1):
            behind = self._tree.of(line, line).of(config)
            if behind is None:
                return line
            config = behind
        raise AssertionError("lines that cannot be read, and each of them can")

    def _furthest(self, begin: int) -> tuple[int, Effect]:
        reach = self._reaches[begin > self._ends[-1]]
        if begin >= reach:
            return self._reaches[0], self.effects.nothing
        found = self._tree.of(begin, min(reach - 1, self._count))
        return self._reaches[0], found + self.effects.end if reach == self._count + 2 else found
