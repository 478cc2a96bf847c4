"""The thread that warms pages while no request is waiting.

It forwards one chunk at a time and checks for requests in between, so a request waits for one chunk at most.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Warmer:
    """Whenever stirred, calls `step` until it returns False; pauses while `busy`."""

    def __init__(self, step: Callable[[], bool], busy: Callable[[], bool]) -> None:
        self._step = step
        self._busy = busy
        self._stirred = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="copydesk-warmer", daemon=True)
        self._thread.start()

    def stir(self) -> None:
        """There may be something to warm."""
        self._stirred.set()

    def close(self) -> None:
        """End the thread behind its current chunk."""
        self._closing.set()
        self._stirred.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._stirred.wait()
            self._stirred.clear()
            try:
                # Whoever keeps the model busy stirs again when done.
                while not self._closing.is_set() and not self._busy() and self._step():
                    pass
            except Exception:
                # Warming is a courtesy: a request that meets the same trouble reports it.
                log.exception("warming failed")
