"""Cancel flags that both processes see: one byte per job, in shared memory, so that a cancel overtakes everything in the pipe.

Slots are given and taken back in the protocol process alone; the child only reads.
"""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from typing import Any

SLOTS = 1024
"""Jobs that can be cancelled by flag at a time. Those beyond share slot 0, which is never set: a message cancels them."""


class Flags:
    """`shared` is what the child is given."""

    def __init__(self, context: SpawnContext, slots: int = SLOTS) -> None:
        self.shared: Any = context.RawArray("B", slots)
        self._free = list(range(slots - 1, 0, -1))

    def acquire(self) -> int:
        """A slot that is not set; 0 when none is left."""
        if not self._free:
            return 0
        slot = self._free.pop()
        self.shared[slot] = 0
        return slot

    def set(self, slot: int) -> None:
        if slot:
            self.shared[slot] = 1

    def release(self, slot: int) -> None:
        """The child is done with the job that had it."""
        if slot:
            self._free.append(slot)

    @property
    def free(self) -> int:
        return len(self._free)
