"""One child process and the pipe to it, from the parent's side.

Two threads per child: one starts it, reads what it says and waits for its end; one writes, so that a full pipe never holds up the
event loop. How much waits to be written is known, so that who sends can hold back; how much was read and not handled is bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from queue import SimpleQueue

from copydesk_server.engine_process import worker_main
from copydesk_server.engine_process.flags import Flags
from copydesk_server.engine_process.messages import EngineSettings, Message, decode, encode, weight
from copydesk_server.errors import IsolationError
from copydesk_server.isolation import isolate

log = logging.getLogger(__name__)

GRACE = 2.0
"""Seconds a child is given to end by itself."""

BACKLOG = 1 << 23
"""Bytes, about, that may wait for a child before its pipe counts as full."""
UNHANDLED = 1024
"""Messages of a child's that may wait for the event loop before nothing more is read."""

CONTEXT: SpawnContext = multiprocessing.get_context("spawn")


class EngineConnection:
    """`on_message(link, message)` and then, once, `on_gone(link, exit code)` are called on the loop that made it.

    exit code: negative for a signal, None where it is not known or the child could not be started. `on_room(link)` is called once
    there is room again, after `full` was seen.
    """

    def __init__(
        self,
        entry: str,
        settings: EngineSettings,
        flags: Flags,
        on_message: Callable[[EngineConnection, Message], None],
        on_gone: Callable[[EngineConnection, int | None], None],
        on_room: Callable[[EngineConnection], None],
        *,
        beat: float,
    ) -> None:
        self._entry = entry
        self._settings = settings
        self._flags = flags
        self._on_message = on_message
        self._on_gone = on_gone
        self._loop = asyncio.get_running_loop()
        self.gone: asyncio.Future[None] = self._loop.create_future()
        self._on_room = on_room
        self._beat = beat
        self._outbox: SimpleQueue[Message | None] = SimpleQueue()
        self._backlog = 0
        self._told_full = False
        self._counting = threading.Lock()
        self._unhandled = threading.Semaphore(UNHANDLED)
        self._started = False
        self._ending = False
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._killed = False

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None else None

    def start(self) -> None:
        """Returns at once. What was sent before waits for the child."""
        if not self._ending and not self._started:
            self._started = True
            threading.Thread(target=self._run, name="copydesk-engine-link", daemon=True).start()

    @property
    def full(self) -> bool:
        """The child reads nothing, or less than it is sent."""
        with self._counting:
            self._told_full = self._backlog > BACKLOG
            return self._told_full

    def send(self, message: Message) -> None:
        """Never blocks, never fails: what a dead child was told is lost with it."""
        with self._counting:
            self._backlog += weight(message)
        self._outbox.put(message)

    def end(self) -> None:
        """Ask the child to end, and make it end where it does not. `gone` says when."""
        if self._ending:
            return
        self._ending = True
        if not self._started:
            self._finish(None)
            return
        self._outbox.put({"kind": "bye"})
        timer = self._loop.call_later(GRACE, self.kill)
        self.gone.add_done_callback(lambda _: timer.cancel())

    def kill(self) -> None:
        with self._lock:
            self._killed = True
            if self._process is not None and self._process.is_alive():
                self._process.kill()

    # -- the link's thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        code: int | None = None
        try:
            isolate()
            ours, theirs = CONTEXT.Pipe()
            process = CONTEXT.Process(
                target=worker_main.run,
                args=(self._entry, theirs, self._flags.shared, self._settings, self._beat),
                name="copydesk-engine",
                daemon=True,
            )
            with self._lock, _interrupts_held():
                process.start()
                self._process = process
                if self._killed:
                    process.kill()
            theirs.close()
            writer = threading.Thread(
                target=self._write, args=(ours,), name="copydesk-engine-writer", daemon=True
            )
            writer.start()
            self._read(ours)
            process.join(GRACE)
            if process.exitcode is None:
                process.kill()
                process.join()
            code = process.exitcode
            self._outbox.put(None)
            writer.join()
            ours.close()
        except (OSError, IsolationError):
            log.exception("the engine could not be started")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self._finish, code)

    def _read(self, connection: Connection) -> None:
        while True:
            try:
                message = decode(connection.recv_bytes())
            except (EOFError, OSError):
                return
            self._unhandled.acquire()
            try:
                self._loop.call_soon_threadsafe(self._handle, message)
            except RuntimeError:  # the loop is closed
                self.kill()
                return

    def _handle(self, message: Message) -> None:
        self._unhandled.release()
        self._on_message(self, message)

    def _write(self, connection: Connection) -> None:
        while (message := self._outbox.get()) is not None:
            taken = weight(message)
            if self._ending:  # nothing said before it matters any more
                message = {"kind": "bye"}
            try:
                connection.send_bytes(encode(message))
            except OSError:
                pass  # the child is gone; the reader says so
            except ValueError:
                log.exception("a message for the engine could not be written")
            self._written(taken)

    def _written(self, taken: int) -> None:
        with self._counting:
            self._backlog -= taken
            room = self._told_full and self._backlog <= BACKLOG // 2
            if room:
                self._told_full = False
        if room:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._on_room, self)

    def _finish(self, code: int | None) -> None:
        if not self.gone.done():
            self.gone.set_result(None)
            self._on_gone(self, code)


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
