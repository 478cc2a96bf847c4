"""Pages of Python, held to the layer that no parser forgives (`pushdown/python`)."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.grammar.parsed_page import ParsedPage
from copydesk.grammar.rules import Range
from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.python.effects import Effect, Effects
from copydesk.pushdown.python.goal import Goal
from copydesk.pushdown.python.lexer import LINE_START


class PythonPage(ParsedPage[Effect]):
    """A page of a Python document. Text leads from everywhere to everything; what counts is where it may end.

    Behind the document's first error nobody can say what was meant. What is asked of text in its place is that the lines behind
    can be read as far as they can where a line of code begins, indented as they want it.
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

    def _furthest(self, begin: int) -> tuple[int, Effect]:
        config, found = self._wanted(begin), self.effects.nothing
        for line in range(begin, self._count + 1):
            behind = self._tree.of(line, line).of(config)
            if behind is None:
                return line, found
            config, found = behind, found + self._tree.of(line, line)
        whole = self.effects.end.of(config) is not None
        return (self._count + 2, found + self.effects.end) if whole else (self._count + 1, found)
