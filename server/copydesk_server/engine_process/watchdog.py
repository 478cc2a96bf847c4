"""Says when an engine's process hangs: it gives no sign of life, or goes on with what it was told to stop.

Counts its own looks and reads no clock: a machine that slept does not look like a process that hangs. Belongs to the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

BEAT = 2.0
"""Seconds between two signs of life, and between two looks."""
SILENT = 15
"""Looks without a sign of life. It comes from a thread of its own, so a long forward does not keep it back."""
STUCK = 60
"""Looks after which a job that was stopped must have ended. It looks before each forward; none takes two minutes."""


class Watchdog:
    """on_hang(reason) is called once per `start`."""

    def __init__(
        self, on_hang: Callable[[str], None], *, beat: float = BEAT, silent: int = SILENT, stuck: int = STUCK
    ) -> None:
        self._on_hang = on_hang
        self.beat, self._silent, self._stuck = beat, silent, stuck
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0  # looks since the last sign of life
        self._stopped: dict[int, int] = {}  # looks since a job was told to stop

    def start(self) -> None:
        """A process has begun. Looks until `stop`, or until it hangs."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(self.beat, self._look)

    def stop(self) -> None:
        """There is nothing to watch."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._since = None, 0
        self._stopped.clear()

    def heard(self) -> None:
        """The process said something."""
        self._since = 0

    def told_to_stop(self, job: int) -> None:
        """It should not go on with `job`."""
        self._stopped.setdefault(job, 0)

    def ended(self, job: int) -> None:
        """It has not."""
        self._stopped.pop(job, None)

    def _look(self) -> None:
        self._since += 1
        for job in self._stopped:
            self._stopped[job] += 1
        if self._since > self._silent:
            reason = f"it gave no sign of life for {self._silent * self.beat:g} seconds"
        elif max(self._stopped.values(), default=0) > self._stuck:
            reason = f"it did not stop what it was told to stop for {self._stuck * self.beat:g} seconds"
        else:
            self._timer = asyncio.get_running_loop().call_later(self.beat, self._look)
            return
        self.stop()
        self._on_hang(reason)
