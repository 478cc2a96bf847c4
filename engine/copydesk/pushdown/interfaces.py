"""What a language offers for texts to be held to it: what lines do, where texts lead, which tokens may come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from copydesk.pushdown.automaton import Config, Stack

Key = tuple[int, Stack, int]
Row = NDArray[np.uint32]
"""A bit per token, least significant first: [ceil(V/32)]."""


class TextAutomaton(Protocol):
    """Configurations behind texts, from `start` on."""

    @property
    def start(self) -> Config: ...

    def run(self, config: Config, text: bytes) -> Config | None:
        """The configuration behind `text`; None where it cannot stand behind `config`."""
        ...


class TextEffect(Protocol):
    """What a text does to a configuration."""

    def of(self, config: Config) -> Config | None:
        """The configuration behind the text; None where it may not stand behind `config`."""
        ...

    def __add__(self, then: Self, /) -> Self: ...


E = TypeVar("E", bound=TextEffect)
G = TypeVar("G")


class TextEffects(Protocol[E]):
    """The effects of a language's lines, of no line (`nothing`), and of the end of a text (`end`)."""

    @property
    def automaton(self) -> TextAutomaton: ...

    nothing: E
    end: E

    def of_line(self, line: str, /) -> E:
        """Of one line of view text."""
        ...


def first_error(effects: TextEffects[Any], lines: Sequence[str]) -> int:
    """The line (1-based) where no text of the language can go on. The number of lines and one more where the end comes too early,
    two more where the lines are a text of the language."""
    config = effects.automaton.start
    for number, line in enumerate(lines, 1):
        behind = effects.of_line(line).of(config)
        if behind is None:
            return number
        config = behind
    return len(lines) + (1 if effects.end.of(config) is None else 2)


class TextGoal(Protocol):
    """What a text has to lead to."""

    def leads(self, config: Config) -> bool:
        """Whether some text leads there from `config`."""
        ...

    def closing(self, config: Config, *, ends_line: bool) -> bytes:
        """Such a text, a short one. ends_line: it ends with a newline."""
        ...


@dataclass(slots=True)
class GoalMasks(Generic[G]):
    """The masks of one goal that were asked for so far. `rows` are keyed as `LanguageMasks.key` says."""

    goal: G
    rows: dict[Key, Row] = field(default_factory=dict)


class LanguageMasks(Protocol):
    """Which tokens of a vocabulary of `size` may come."""

    @property
    def size(self) -> int: ...

    def advance(self, config: Config, token: int) -> Config | None:
        """The configuration behind `token`; None where it may not come."""
        ...

    def key(self, known: GoalMasks[Any], config: Config) -> Key:
        """What the mask depends on."""
        ...

    def row(self, known: GoalMasks[Any], config: Config) -> Row:
        """The tokens behind which the goal can still be reached (do not write)."""
        ...
