"""How much memory a process and its children take at most."""

from __future__ import annotations

import contextlib
import re
import threading
from pathlib import Path

import psutil

BETWEEN = 0.1
"""Seconds between two looks. Linux tells the most there ever was, so nothing that comes between them is missed there."""
CHILDREN = 10
"""Looks between two searches for children, which cost more."""
_MOST = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


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

    def rest(self) -> int:
        """Bytes resident in the largest process below it now."""
        return max((child.memory_info().rss for child in self._process.children()), default=0)

    def _look(self) -> None:
        children: list[psutil.Process] = []
        looks = 0
        while not self._over.wait(BETWEEN):
            with contextlib.suppress(psutil.Error):
                self.protocol = max(self.protocol, _most(self._process))
                if looks % CHILDREN == 0:
                    children = self._process.children()
            for child in children:
                with contextlib.suppress(psutil.Error):
                    self.engine = max(self.engine, _most(child))
            looks += 1


def _most(process: psutil.Process) -> int:
    try:
        found = _MOST.search(Path(f"/proc/{process.pid}/status").read_text())
    except OSError:
        found = None
    return int(found[1]) << 10 if found is not None else int(process.memory_info().rss)
