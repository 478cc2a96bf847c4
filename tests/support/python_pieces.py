"""Pieces of Python text at random, and what becomes of real files when some of them get in."""

from __future__ import annotations

from random import Random

from copydesk.pushdown.automaton import Config
from copydesk.pushdown.python.layer import python_layer

PIECES = (
    *(
        "if ",
        "else:",
        "def f(x):",
        "while x",
        "async ",
        "try:\n",
        "match",
        "case x",
        "lambda ",
        "return",
        "pass\n",
        "not ",
    ),
    *("\n", "\n    ", "\n        ", "    ", "  ", " ", "\t", "\x0c", "#", "\\", "\\\n"),
    *('"', "'", '"""', 'f"', "rf'", 'f"""', "'x'", '"x"', "\\N", "N{", "!r", ".2f", "{x", "x:", "{{", "}}"),
    *("{", "}", "(", ")", "[", "]", ":", "=", "!", "<", ",", ":=", "+", "x", "1", "0", "r", "é", "$"),
)


def some_text(random: Random, most: int) -> tuple[str, Config]:
    """A text of up to `most` pieces that the layer takes, and the configuration behind it."""
    layer = python_layer()
    text, config = "", layer.start
    for _ in range(random.randint(0, most)):
        piece = random.choice(PIECES)
        behind = layer.run(config, piece.encode())
        if behind is not None:
            text, config = text + piece, behind
    return text, config


def changed(random: Random, text: str) -> str:
    """The text with up to three places changed."""
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(text))
        text = text[:at] + random.choice(("", *PIECES)) + text[at + random.randint(0, 2) :]
    return text
