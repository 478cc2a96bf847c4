"""What has to stop before the interpreter ends.

A daemon thread that comes back from C++ while Python is finalised is ended by unwinding its stack, which C++ answers with
`terminate called without an active exception` and a core dump. So threads are ended, and forwards waited for, before that.
"""

from __future__ import annotations

import atexit
import logging
import os
from typing import Protocol
from weakref import WeakSet

log = logging.getLogger(__name__)


class Stoppable(Protocol):
    """Anything that runs threads or native code."""

    def stop_for_exit(self) -> None:
        """Called once, when the main thread and all threads that are no daemons have ended."""
        ...


_LIVE: WeakSet[Stoppable] = WeakSet()


def stop_at_exit(thing: Stoppable) -> None:
    """Have `thing` stopped before the interpreter ends, if it is still there by then."""
    _LIVE.add(thing)


@atexit.register
def _stop_all() -> None:
    for thing in list(_LIVE):
        try:
            thing.stop_for_exit()
        except Exception:
            log.exception("something could not be stopped")


if hasattr(os, "register_at_fork"):
    # Threads do not survive a fork: a child has nothing to stop, and would wait for locks that nobody holds.
    os.register_at_fork(after_in_child=_LIVE.clear)
