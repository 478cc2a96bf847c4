"""Python's layer as an automaton: configurations are a lexer's state and a stack."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from copydesk.pushdown.automaton import ACCEPTED, Config, Stack
from copydesk.pushdown.python.lexer import LINE_START, Lexer
from copydesk.pushdown.python.modes import BEGIN, UNCERTAIN
from copydesk.pushdown.python.stack import BEGUN, is_deeper, shift_all

NO_INDENTATION = 0


class Layer:
    """No state is a dead end: from every configuration some text leads to every other (`goal.py`)."""

    def __init__(self) -> None:
        self.lexer = Lexer()
        self.start: Config = (LINE_START, (NO_INDENTATION,))

    def run(self, config: Config, text: bytes) -> Config | None:
        """The configuration behind `text`; None where it cannot stand behind `config`."""
        lexed = self.lexer.run(config[0], text)
        if lexed is None:
            return None
        stack = shift_all(config[1], lexed[1])
        return None if stack is None else (lexed[0], stack)

    def end(self, config: Config) -> Config | None:
        """The configuration behind the end of a text; None where it cannot end."""
        last = self.lexer.end(config[0])
        stack = shift_all(config[1], last) if last is not None else None
        return (config[0], (ACCEPTED,)) if stack is not None and _whole(stack) else None

    def level(self, line: str) -> int | None:
        """The level at which a line of code begins; None for one that is blank, a comment, or indented as nothing can be."""
        lexed = self.lexer.run(LINE_START, line.encode("utf-8", "surrogatepass"))
        begins = (
            [terminal - BEGIN for terminal in lexed[1][:1] if terminal >= BEGIN] if lexed is not None else []
        )
        return begins[0] if begins and begins[0] != UNCERTAIN else None

    def nested(self, levels: Collection[int]) -> Stack:
        """The levels as a stack, without those that no line could have led to."""
        stack: Stack = (NO_INDENTATION,)
        for level in sorted(levels):
            if is_deeper(level, stack[-1]):
                stack = (*stack, level)
        return stack


def _whole(stack: Stack) -> bool:
    """Whether nothing but indentation is open."""
    return stack[-1] < BEGUN


@cache
def python_layer() -> Layer:
    """The one there is."""
    return Layer()
