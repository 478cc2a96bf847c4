"""Attacks on copydesk as a person runs it: real processes, the embedded model, and somebody who means harm.

Each attack is a function of an `Arena`: it draws what it does from the arena's random numbers, says what it has tried, and raises
AssertionError where copydesk lost something, ran something, did not answer, or took too much. They are run by
`python -m copydesk_benchmarks soak`.
"""

from __future__ import annotations

from collections.abc import Callable

from attacks import files, floods, kills, models, repositories, sizes, stalls
from attacks.arena import Arena

ATTACKS: dict[str, Callable[[Arena], None]] = {
    "kills of the engine": kills.engine,
    "kills of the server": kills.server,
    "kills of `fix --write`": kills.fix,
    "a day's work, cancelled": floods.work,
    "changes and cancels": floods.changes,
    "a client that does not read": floods.deaf,
    "fuzzed messages": floods.fuzzed,
    "a stopped engine": stalls.stopped,
    "special files, server": files.server,
    "special files, `fix`": files.fix,
    "hostile repositories, server": repositories.server,
    "hostile repositories, `fix`": repositories.fix,
    "hostile models": models.switched,
    "huge documents and lines": sizes.huge,
}
