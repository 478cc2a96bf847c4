"""How much memory a process and its children take at most, looked at fifty times a second."""

from __future__ import annotations

import contextlib
import threading

import psutil

BETWEEN = 0.02


class Watch:
    """protocol: the most bytes that were resident in the process; engine: in any one below it."""

    def __init__(self, pid: int) -> None:
        self.protocol = self.engine = 0
        self._process = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(BETWEEN):
            with contextlib.suppress(psutil.Error):
                self.protocol = max(self.protocol, self._process.memory_info().rss)
                for child in self._process.children():
                    with contextlib.suppress(psutil.Error):
                        self.engine = max(self.engine, child.memory_info().rss)
