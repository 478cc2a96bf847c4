"""What waits to be written to a client: in order, at most one of what a later message makes pointless, and how much there is.

The event loop puts frames, and the writing thread gets them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class Outgoing:
    """on_room: called on the writing thread, once there is room again after there was none. limit: bytes; it may change."""

    def __init__(self, on_room: Callable[[], None], limit: int) -> None:
        self._on_room, self.limit = on_room, limit
        self._news = threading.Condition()
        self._queue: deque[list[bytes]] = (
            deque()
        )  # a frame each, in a list so that it can be replaced where it stands
        self._keyed: dict[str, list[bytes]] = {}
        self._keys: dict[int, str] = {}  # by the id of such a list
        self._bytes = 0
        self._told_full = False
        self._ended = False

    @property
    def full(self) -> bool:
        """More than `limit` bytes wait. Whoever sees it is told of room by `on_room`."""
        with self._news:
            self._told_full = self._bytes > self.limit
            return self._told_full

    def put(self, frame: bytes, key: str | None = None) -> None:
        """Returns at once. key: a frame of the same key that still waits is replaced."""
        with self._news:
            waiting = self._keyed.get(key) if key is not None else None
            if waiting is not None:
                self._bytes += len(frame) - len(waiting[0])
                waiting[0] = frame
                return
            cell = [frame]
            self._queue.append(cell)
            self._bytes += len(frame)
            if key is not None:
                self._keyed[key] = cell
                self._keys[id(cell)] = key
            self._news.notify_all()

    def end(self) -> None:
        """`get` gives what there is, and then None."""
        with self._news:
            self._ended = True
            self._news.notify_all()

    def get(self) -> bytes | None:
        """The next frame, once there is one; None after the end. Whoever calls has written the one before."""
        with self._news:
            while not self._queue and not self._ended:
                self._news.wait()
            if not self._queue:
                return None
            cell = self._queue.popleft()
            key = self._keys.pop(id(cell), None)
            if key is not None:
                del self._keyed[key]
            self._bytes -= len(cell[0])
            room = self._told_full and self._bytes <= self.limit // 2
            if room:
                self._told_full = False
        if room:
            self._on_room()
        return cell[0]
