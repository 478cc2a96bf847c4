"""What the engine's process was told and has not done yet: in order, and no more than so many bytes.

The thread that reads the pipe puts messages, and the worker gets them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import Empty

from copydesk_server.engine_process.messages import Message

LIMIT = 1 << 24
"""Bytes of frames. Beyond them nothing more is taken from the pipe, and the parent holds back."""
PATIENCE = 1.0
"""Seconds between two looks at whether there is still anybody to wait for."""


class Inbox:
    """A queue that makes whoever puts wait."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._news = threading.Condition()
        self._queue: deque[tuple[Message, int]] = deque()
        self._bytes = 0

    def put(self, message: Message, size: int = 0, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait for room, then add. meanwhile: called now and then as long as there is none."""
        with self._news:
            while self._bytes > self._limit:
                if not self._news.wait(PATIENCE):
                    meanwhile()
            self._queue.append((message, size))
            self._bytes += size
            self._news.notify_all()

    def get(self) -> Message:
        """The next message, once there is one."""
        with self._news:
            while not self._queue:
                self._news.wait()
            return self._pop()

    def get_nowait(self) -> Message:
        """The next message. Raises queue.Empty."""
        with self._news:
            if not self._queue:
                raise Empty
            return self._pop()

    def _pop(self) -> Message:
        message, size = self._queue.popleft()
        self._bytes -= size
        self._news.notify_all()
        return message
