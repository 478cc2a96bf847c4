"""What a program costs in tokens, and how a line is split into tokens.

An edit format prices programs through `Cost`; `CodeCost` is the price list that is used without one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from copydesk.text.document import content, terminator, view_line, view_text


class Cost(Protocol):
    """A price list in tokens. Texts are view text; every price is the same wherever in the program it falls.

    The oracle is exact for prices where `text_cost` is additive over lines: it adds up a gen's price line by line.
    """

    @property
    def copy_cost(self) -> int:
        """Tokens of one copy, including its two numbers. At least 1."""

    @property
    def gen_cost(self) -> int:
        """Tokens around a gen's text. At least 1."""

    @property
    def sub_cost(self) -> int:
        """Tokens around a sub's two texts, including its number."""

    def line_tokens(self, line: str) -> Sequence[str]:
        """The line's own tokens as pieces of text that concatenate to `line`; tokens that share a character are one
        piece."""

    def text_cost(self, text: str) -> int:
        """How many tokens `text` takes in a body."""


_TOKEN = re.compile(
    r"\n| ?[^\W\d_]+|_+|\d"
    r"|===|!==|\*\*=|//=|<<=|>>=|\.\.\.|==|!=|<=|>=|->|=>|:=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\*\*|//|<<|>>|&&|\|\||\+\+|--|::"
    r"|[^\S\n]+(?= [^\W\d_])|[^\S\n]+|.",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class CodeCost:
    """The price list of a format with one token per line number, over tokens as a tokenizer for code would
    cut them.

    Words (with one space before them), digits, common operators, runs of white space and line breaks are a
    token each.
    """

    copy_cost: int = 3  # <copy> i j
    gen_cost: int = 2  # <gen> … </gen>
    sub_cost: int = 4  # <sub> i old <to> new </gen>

    def line_tokens(self, line: str) -> Sequence[str]:
        """The line's tokens by the expression above."""
        return _TOKEN.findall(line)

    def text_cost(self, text: str) -> int:
        """How many tokens the expression finds."""
        return len(_TOKEN.findall(text))


class PricedLine:
    """An exact line with the boundaries of its own tokens and the cost of writing it."""

    __slots__ = ("content", "ends", "terminator", "text", "views", "weights", "written")

    def __init__(self, line: str, cost: Cost) -> None:
        view = view_line(line)
        pieces = cost.line_tokens(view)
        self.text = line
        self.content = content(line)
        self.terminator = terminator(line)
        self.written: int = cost.text_cost(view)
        """Tokens of the line in a gen's body."""
        self.views: list[int] = list(accumulate(map(len, pieces), initial=0))
        """Boundaries of the pieces in the view line."""
        # View and exact line agree up to the terminator, and no piece ends inside one.
        self.ends: list[int] = [*self.views[:-1], len(line)]
        """The same boundaries in the exact line."""
        # A piece is one token unless tokens share a character; then it is priced by itself.
        whole = len(pieces) == self.written
        prices = [1 if whole else max(1, cost.text_cost(piece)) for piece in pieces]
        self.weights: list[int] = list(accumulate(prices, initial=0))
        """Tokens of the first k pieces."""


class PricedLines:
    """The lines of a text, each cut and priced when first asked for: most lines of a large file never are."""

    def __init__(self, texts: Sequence[str], cost: Cost) -> None:
        self.texts = texts
        self._cost = cost
        self._priced: dict[int, PricedLine] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> PricedLine:
        line = self._priced.get(index)
        if line is None:
            line = self._priced[index] = PricedLine(self.texts[index], self._cost)
        return line

    def span(self, start: int, stop: int) -> list[PricedLine]:
        """Lines `start` to `stop` (0-based, exclusive)."""
        return [self[index] for index in range(start, stop)]


def body_cost(cost: Cost, exact: str) -> int:
    """Tokens of an exact text in a body."""
    return cost.text_cost(view_text(exact)) if exact else 0
