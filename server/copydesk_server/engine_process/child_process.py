"""The engine in a child of this process, which ends with it: started by multiprocessing, spoken to over its pipe."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext

from copydesk_server.engine_process import worker_main
from copydesk_server.engine_process.flags import Flags
from copydesk_server.engine_process.messages import EngineSettings, Message, decode, encode

GRACE = 2.0
"""Seconds a process is given to end by itself."""

CONTEXT: SpawnContext = multiprocessing.get_context("spawn")


class ChildProcess:
    """An `EngineProcess`. entry: "module:function", what runs in it; beat: seconds between two of its signs of life."""

    def __init__(self, entry: str, settings: EngineSettings, flags: Flags, beat: float) -> None:
        self._pipe, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(
            target=worker_main.run,
            args=(entry, theirs, flags.shared, settings, beat),
            name="copydesk-engine",
            daemon=True,
        )
        with _interrupts_held():
            self._process.start()
        theirs.close()

    @property
    def pid(self) -> int | None:
        """The operating system's number."""
        return self._process.pid

    def receive(self) -> Message:
        """The next message. Raises EOFError or OSError where there is none any more."""
        return decode(self._pipe.recv_bytes())

    def send(self, message: Message) -> None:
        """Raises OSError where nobody reads any more, ValueError for what cannot be written."""
        self._pipe.send_bytes(encode(message))

    def kill(self) -> None:
        """From any thread."""
        if self._process.is_alive():
            self._process.kill()

    def wait(self) -> int | None:
        """The exit code of the process, which has closed its pipe; negative for a signal."""
        self._process.join(GRACE)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        return self._process.exitcode

    def last_words(self) -> str | None:
        """The child writes to the server's standard error by itself."""
        return None

    def close(self) -> None:
        """Let go of the pipe; nothing reads or writes any more."""
        self._pipe.close()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """A child begins with the signal mask of the thread that starts it: Ctrl-C must not reach it before it can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # multiprocessing starts it first, and lifts the mask as it does
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
