"""The lexer of Python's layer as numbered states, made when they are first met: f-strings within f-strings make many."""

from __future__ import annotations

from copydesk.pushdown.python.modes import Code, LineStart, Mode, Terminals
from copydesk.pushdown.python.steps import end, step

DEAD = -1
LINE_START = 0
"""The state in front of a line of code, and in front of a text."""
BETWEEN = 1
"""The state between two tokens."""


class Lexer:
    """`modes[state]` is what a state stands for. Rows are [256] lists: next states, and the terminals completed."""

    def __init__(self) -> None:
        self.modes: list[Mode] = []
        self._number: dict[Mode, int] = {}
        self._steps: list[list[int] | None] = []
        self._emitted: list[list[Terminals]] = []
        self._ends: dict[int, Terminals | None] = {}
        assert (self.state(LineStart()), self.state(Code())) == (LINE_START, BETWEEN)

    def state(self, mode: Mode) -> int:
        """The number of a mode."""
        found = self._number.get(mode)
        if found is None:
            found = self._number[mode] = len(self.modes)
            self.modes.append(mode)
            self._steps.append(None)
            self._emitted.append([])
        return found

    def row(self, state: int) -> tuple[list[int], list[Terminals]]:
        """The next state and the terminals completed, by byte."""
        steps = self._steps[state]
        if steps is None:
            made = [step(self.modes[state], byte) for byte in range(0x81)]
            made += made[-1:] * 0x7F  # all bytes of characters beyond ASCII are alike
            steps = self._steps[state] = [DEAD if one is None else self.state(one[0]) for one in made]
            self._emitted[state] = [() if one is None else one[1] for one in made]
        return steps, self._emitted[state]

    def run(self, state: int, text: bytes) -> tuple[int, Terminals] | None:
        """The state behind `text` and the terminals that were completed in it; None where it cannot stand there."""
        known, emitted, found = self._steps, self._emitted, list[int]()
        for byte in text:
            row = known[state] or self.row(state)[0]
            more = emitted[state][byte]
            state = row[byte]
            if state == DEAD:
                return None
            if more:
                found += more
        return state, tuple(found)

    def end(self, state: int) -> Terminals | None:
        """The terminals that are complete at the end of a text; None where it cannot end."""
        if state not in self._ends:
            self._ends[state] = end(self.modes[state])
        return self._ends[state]
