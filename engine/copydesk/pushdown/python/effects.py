"""What lines of Python do to a configuration: worked out for the stacks they meet, and kept for all that are alike.

A run of lines looks at some of the stack's top. What it does to one stack it does to every stack with that top, so it is kept by
it: a document read once is read again, behind other text, in O(log n) steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.python.layer import Layer, python_layer
from copydesk.pushdown.python.modes import BEGIN, Terminals
from copydesk.pushdown.python.stack import BODY, BRACKET, shift

_Found = tuple[Config | None, int]
"""The configuration behind a run, and how many symbols at the top of the stack before it decided that."""


class Effect:
    """What a run of lines does, or the end of a text. `a + b` is what both do."""

    def __init__(self, layer: Layer, parts: Sequence[Effect] = ()) -> None:
        self._layer, self._parts = layer, parts
        self._known: dict[int, dict[Stack, tuple[Config | None, int]]] = {}
        self._depths: dict[int, list[int]] = {}

    def __add__(self, then: Effect) -> Effect:
        return Effect(self._layer, (self, then))

    def of(self, config: Config) -> Config | None:
        """The configuration behind the run; None where it cannot stand behind `config`."""
        return self.looked(config)[0]

    def looked(self, config: Config) -> _Found:
        """As `of`, and how many symbols at the top of the stack decide it."""
        state, stack = config
        size = len(stack)
        for depth in self._depths.get(state, ()):
            if depth <= size:
                known = self._known[state].get(stack[size - depth :])
                if known is not None:
                    behind, _ = known
                    return (None if behind is None else (behind[0], stack[: size - depth] + behind[1])), depth
        found, depth = self._read(config)
        kept = None if found is None else (found[0], found[1][size - depth :])
        self._known.setdefault(state, {})[stack[size - depth :]] = kept, depth
        depths = self._depths.setdefault(state, [])
        if depth not in depths:
            depths.append(depth)
        return found, depth

    def _read(self, config: Config) -> _Found:
        now: Config | None = config
        size = lowest = len(config[1])
        for part in self._parts:
            if now is None:
                break
            before = len(now[1])
            now, depth = part.looked(now)
            lowest = min(lowest, before - depth)
        return now, size - lowest


class _Line(Effect):
    def __init__(self, layer: Layer, line: str) -> None:
        super().__init__(layer)
        self._line = line.encode("utf-8", "surrogatepass")

    def _read(self, config: Config) -> _Found:
        lexed = self._layer.lexer.run(config[0], self._line)
        if lexed is None:
            return None, 0
        stack, depth = shifted(config[1], lexed[1])
        return (None if stack is None else (lexed[0], stack)), depth


class _End(Effect):
    def _read(self, config: Config) -> _Found:
        return self._layer.end(config), len(config[1])


def shifted(stack: Stack, terminals: Terminals) -> tuple[Stack | None, int]:
    """The stack behind some terminals, and how many symbols of its top decided that (but for how deep brackets may be)."""
    size = lowest = len(stack)
    now: Stack | None = stack
    for terminal in terminals:
        assert now is not None
        before, now = now, shift(now, terminal)
        if now is None:
            return None, size - (0 if terminal >= BEGIN else min(lowest, len(before) - 1))
        kept = len(before) - 1
        if terminal >= BEGIN and before[-1] < BRACKET:  # a line that begins looks down to its level
            kept = len(before) - 2 if before[-1] == BODY else len(now) - 2
        lowest = min(lowest, kept)
    return now, size - lowest


class Effects:
    """The effects of Python's lines."""

    def __init__(self, layer: Layer) -> None:
        self.automaton = layer
        self.nothing = Effect(layer)
        self.end: Effect = _End(layer)
        """Of the end of a text: it leaves the stack (ACCEPTED,) where nothing is open."""
        self._line = lru_cache(maxsize=1 << 14)(lambda line: _Line(layer, line))

    def of_line(self, line: str) -> Effect:
        """Of one line of view text."""
        return self._line(line)


@cache
def python_effects() -> Effects:
    """Those of the one layer there is."""
    return Effects(python_layer())
