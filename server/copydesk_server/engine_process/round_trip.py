"""How long a message to the engine and back takes. It is asked now and then, one question at a time, on the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from statistics import median

KEPT = 16
"""Round trips that the median is of."""


class RoundTrip:
    """ask(number): send a question, whose number the answer has."""

    def __init__(self, ask: Callable[[int], None], every: float) -> None:
        self._ask, self._every = ask, every
        self._timer: asyncio.TimerHandle | None = None
        self._number = 0
        self._asked: float | None = None
        self._ms: deque[float] = deque(maxlen=KEPT)

    @property
    def ms(self) -> float | None:
        """The median of the latest; None before the first."""
        return round(median(self._ms), 2) if self._ms else None

    def start(self) -> None:
        """Ask from now on."""
        self.stop()
        self._ms.clear()
        self._again()

    def stop(self) -> None:
        """There is nobody to ask."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._asked = None

    def answered(self, number: int) -> None:
        """Any other answer than to the latest question is left out."""
        if number == self._number and self._asked is not None:
            self._ms.append((asyncio.get_running_loop().time() - self._asked) * 1e3)
            self._asked = None

    def _again(self) -> None:
        loop = asyncio.get_running_loop()
        if self._asked is None:
            self._number += 1
            self._asked = loop.time()
        self._ask(self._number)  # the same once more: to be heard of is what the other side waits for
        self._timer = loop.call_later(self._every, self._again)
