"""Documents no person writes: one line of megabytes, tens of thousands of branches, brackets within brackets."""

from __future__ import annotations

import random
from collections.abc import Callable

from attacks.arena import TEXT, Arena

ROUNDS = 5
KINDS: dict[str, Callable[[int], str]] = {
    "one line": lambda size: "x" * size,
    "one line behind a function": lambda size: TEXT + "y = '" + "x" * size + "'\n",
    "short lines": lambda size: "x = 1\n" * (size // 6),
    "empty lines": lambda size: "\n" * size,
    "branches": lambda size: (
        TEXT + "def f(x):\n    if x == 0:\n        pass\n" + "    elif x == 1:\n        pass\n" * (size // 30)
    ),
    "brackets": lambda size: TEXT + "z = " + "[" * (size // 2) + "]" * (size // 2) + "\n",
    "indents": lambda size: (
        TEXT + "".join(" " * k + "if x:\n" for k in range(int((2 * size) ** 0.5))) + "x\n"
    ),
    "two bytes a letter": lambda size: TEXT + "# " + "é" * (size // 2) + "\n",
    "control characters": lambda size: TEXT + "\x00\x0b\x1c\x85" * (size // 4),
}


def size_of(choose: random.Random) -> int:
    """Bytes, from a large source file to far beyond every limit."""
    return round(10 ** choose.uniform(4, 7.5))


def huge(arena: Arena) -> None:
    """They are refused or served, and beside them everything goes on."""
    with arena.server() as server:
        for _ in range(ROUNDS):
            name = arena.random.choice(list(KINDS))
            text = KINDS[name](size_of(arena.random))
            uri = server.open("untitled:huge.py", text)
            server.settled(server.edit(uri))
            server.change(uri, {"text": TEXT})
            assert server.settled(server.edit(uri)) in ("edited", "-32803"), name
            server.change(uri, {"text": text})
            server.settled(server.edit(uri))
            server.close(uri)
            server.alive()
            arena.tried()
