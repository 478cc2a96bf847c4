"""A reentrant lock that is handed over in the order it was asked for.

Python's own locks go to the quickest thread, which is always the one that forwards a model in a loop: a keystroke that has to
wait for one forward would wait for hundreds.
"""

from __future__ import annotations

import threading
from collections import deque


class FairLock:
    """As `threading.RLock`, with `give_way`."""

    def __init__(self) -> None:
        self._books = threading.Lock()
        self._owner: int | None = None
        self._depth = 0
        self._queue = deque[tuple[int, threading.Lock]]()

    def acquire(self) -> None:
        me = threading.get_ident()
        if self._owner == me:  # nobody else can make this true or false
            self._depth += 1
            return
        with self._books:
            if self._owner is None:
                self._owner, self._depth = me, 1
                return
            turn = threading.Lock()
            turn.acquire()
            waiting = me, turn
            self._queue.append(waiting)
        try:
            turn.acquire()  # whoever releases has made this thread the owner by then
        except BaseException:  # Ctrl-C: a turn nobody is there to take would be the last one
            with self._books:
                mine = waiting not in self._queue
                if not mine:
                    self._queue.remove(waiting)
            if mine:
                self.release()
            raise

    def release(self) -> None:
        """Raises RuntimeError in a thread that does not hold it."""
        if self._owner != threading.get_ident():
            raise RuntimeError("a lock is released by the thread that holds it")
        self._depth -= 1
        if self._depth:
            return
        with self._books:
            if self._queue:
                self._owner, turn = self._queue.popleft()
                self._depth = 1
                turn.release()
            else:
                self._owner = None

    def release_all(self) -> None:
        """Release it however often this thread has acquired it, if it has: for the end of a thread."""
        if self._owner == threading.get_ident():
            self._depth = 1
            self.release()

    def give_way(self) -> None:
        """Let those who wait go first, one turn each. The caller holds the lock before and after; held twice it is kept."""
        if self._queue and self._depth == 1:
            self.release()
            self.acquire()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()
