"""What waits for the model in the child: work by priority, each kind in the order it came.

Any thread may put and withdraw; one thread takes. Knows priorities; nothing of documents, models or what a unit does.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, Protocol, TypeVar


class Ranked(Protocol):
    """`ahead`: gives way to all that is not."""

    @property
    def ahead(self) -> bool: ...


U = TypeVar("U", bound=Ranked)


class Units(Generic[U]):
    """Two queues and one bell."""

    def __init__(self) -> None:
        self._asked = deque[U]()
        self._ahead = deque[U]()
        self._bell = threading.Condition()
        self._rung = False

    def __len__(self) -> int:
        return len(self._asked) + len(self._ahead)

    @property
    def waiting(self) -> dict[str, int]:
        return {"edit": len(self._asked), "ahead": len(self._ahead)}

    @property
    def urgent(self) -> bool:
        """Whether something waits that ahead work must give way to. Cheap: asked before every forward."""
        return bool(self._asked)

    def put(self, unit: U) -> None:
        with self._bell:
            (self._ahead if unit.ahead else self._asked).append(unit)
        self.ring()

    def put_back(self, unit: U) -> None:
        """It is the next of its kind again."""
        with self._bell:
            (self._ahead if unit.ahead else self._asked).appendleft(unit)
        self.ring()

    def withdraw(self, unit: U) -> bool:
        """Take it out. False when it does not wait: it runs, or is gone."""
        with self._bell:
            queue = self._ahead if unit.ahead else self._asked
            if unit not in queue:
                return False
            queue.remove(unit)
            return True

    def take_asked(self) -> U | None:
        with self._bell:
            return self._asked.popleft() if self._asked else None

    def take_ahead(self) -> U | None:
        """None also while something urgent waits."""
        with self._bell:
            return self._ahead.popleft() if self._ahead and not self._asked else None

    def ring(self) -> None:
        """There may be something to do."""
        with self._bell:
            self._rung = True
            self._bell.notify_all()

    def wait(self, seconds: float | None = None) -> None:
        """Until the bell rings; at once if it did since the last time."""
        with self._bell:
            if not self._rung:
                self._bell.wait(seconds)
            self._rung = False
