"""One engine's process and the pipe to it, from this side: a child of this process, or a command that a person set.

Two threads per process: one starts it, reads what it says and waits for its end; one writes, so that a full pipe never holds up
the event loop. How much waits to be written is known, so that who sends can hold back; how much was read and not handled is
bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Set
from typing import Protocol

from copydesk_server.engine_process.child_process import GRACE
from copydesk_server.engine_process.messages import Message, weight
from copydesk_server.engine_process.outbox import Outbox
from copydesk_server.errors import EngineProtocolError, EngineStartError, IsolationError
from copydesk_server.isolation import isolate

log = logging.getLogger(__name__)

BACKLOG = 1 << 23
"""Bytes, about, that may wait for an engine before its pipe counts as full."""
UNHANDLED = 1024
"""Messages of an engine's that may wait for the event loop before nothing more is read."""


class EngineProcess(Protocol):
    """A process that was started, and the pipe to it. One thread receives, one sends."""

    @property
    def pid(self) -> int | None:
        """The operating system's number."""

    def receive(self) -> Message:
        """The next message. Raises EOFError or OSError where there is none any more, EngineProtocolError for what is none."""

    def send(self, message: Message) -> None:
        """Raises OSError where nobody reads any more, ValueError for what cannot be written."""

    def kill(self) -> None:
        """From any thread."""

    def wait(self) -> int | None:
        """The exit code of the process, which has closed its pipe; negative for a signal."""

    def last_words(self) -> str | None:
        """What it wrote last for people to read, where that is not for the server's own standard error."""

    def close(self) -> None:
        """Let go of the pipe; nothing reads or writes any more."""


class EngineConnection:
    """`on_message(link, message)` and then, once, `on_gone(link, exit code)` are called on the loop that made it.

    launch: starts the process, on a thread. Raises OSError, EngineStartError.
    exit code: negative for a signal, None where it is not known or the process could not be started; `fault` may say more.
    `on_room(link)` is called once there is room again, after `full` was seen. overtaking: kinds of message that are written
    before all others that wait.
    """

    def __init__(
        self,
        launch: Callable[[], EngineProcess],
        on_message: Callable[[EngineConnection, Message], None],
        on_gone: Callable[[EngineConnection, int | None], None],
        on_room: Callable[[EngineConnection], None],
        *,
        overtaking: Set[str] = frozenset(),
    ) -> None:
        self._launch = launch
        self._on_message = on_message
        self._on_gone = on_gone
        self._loop = asyncio.get_running_loop()
        self.gone: asyncio.Future[None] = self._loop.create_future()
        self._on_room = on_room
        self._outbox = Outbox(overtaking)
        self.fault: str | None = None  # why it ended, where the exit code does not say
        self.last_words: str | None = None  # what it wrote last for people, once it is gone
        self._backlog = 0
        self._told_full = False
        self._counting = threading.Lock()
        self._unhandled = threading.Semaphore(UNHANDLED)
        self._started = False
        self._ending = False
        self._lock = threading.Lock()
        self._process: EngineProcess | None = None
        self._killed = False

    @property
    def process(self) -> EngineProcess | None:
        """Once it was started."""
        return self._process

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None else None

    def start(self) -> None:
        """Returns at once. What was sent before waits for the process."""
        if not self._ending and not self._started:
            self._started = True
            threading.Thread(target=self._run, name="copydesk-engine-link", daemon=True).start()

    @property
    def full(self) -> bool:
        """The engine reads nothing, or less than it is sent."""
        with self._counting:
            self._told_full = self._backlog > BACKLOG
            return self._told_full

    def send(self, message: Message) -> None:
        """Never blocks, never fails: what a dead process was told is lost with it."""
        with self._counting:
            self._backlog += weight(message)
        self._outbox.put(message)

    def end(self) -> None:
        """Ask the engine to end, and make it end where it does not. `gone` says when."""
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
            if self._process is not None:
                self._process.kill()

    # -- the link's thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        code: int | None = None
        try:
            isolate()
            with self._lock:
                process = self._process = self._launch()
                if self._killed:
                    process.kill()
            writer = threading.Thread(
                target=self._write, args=(process,), name="copydesk-engine-writer", daemon=True
            )
            writer.start()
            self._read(process)
            code = process.wait()
            self._outbox.put(None)
            writer.join()
            process.close()
            self.last_words = process.last_words()
        except EngineStartError as error:
            self.fault = str(error)
        except (OSError, IsolationError):
            log.exception("the engine could not be started")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self._finish, code)

    def _read(self, process: EngineProcess) -> None:
        while True:
            try:
                message = process.receive()
            except (EOFError, OSError):
                return
            except EngineProtocolError as error:
                self.fault = str(error)
                self.kill()
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

    def _write(self, process: EngineProcess) -> None:
        while (message := self._outbox.get()) is not None:
            taken = weight(message)
            if self._ending:  # nothing said before it matters any more
                message = {"kind": "bye"}
            try:
                process.send(message)
            except OSError:
                pass  # the process is gone; the reader says so
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
