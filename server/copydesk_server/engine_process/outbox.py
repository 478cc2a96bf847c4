"""What waits to be written to an engine: in order, but for the kinds of message that go before all others."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Set

from copydesk_server.engine_process.messages import Message


class Outbox:
    """Any thread puts, one gets. overtaking: kinds of message that do not wait behind others."""

    def __init__(self, overtaking: Set[str] = frozenset()) -> None:
        self._overtaking = overtaking
        self._first: deque[Message] = deque()
        self._rest: deque[Message | None] = deque()
        self._news = threading.Condition()

    def put(self, message: Message | None) -> None:
        """None: there is nothing after it."""
        with self._news:
            if message is not None and message["kind"] in self._overtaking:
                self._first.append(message)
            else:
                self._rest.append(message)
            self._news.notify()

    def get(self) -> Message | None:
        """The next one, once there is one."""
        with self._news:
            while not (self._first or self._rest):
                self._news.wait()
            return self._first.popleft() if self._first else self._rest.popleft()
