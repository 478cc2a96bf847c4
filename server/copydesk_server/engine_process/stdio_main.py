"""The engine as a program of its own: over standard input and output it serves a language server that may be elsewhere.

The same worker as in a child. What differs is the pipe: frames with a limit, a greeting first, and a cancel is a message. A
thread reads all the time, marks what is cancelled and answers pings, so that neither waits for work. The process ends with its
standard input, and where the other side has been silent for long: a connection can be gone without anybody being told.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import signal
import sys
import threading
import time
from typing import BinaryIO, NoReturn

from copydesk_server.engine_process.frames import TO_ENGINE, TO_SERVER, frame_of, message_of, read_frame
from copydesk_server.engine_process.handshake import engine_hello, mismatch, settings_of
from copydesk_server.engine_process.message_check import check_to_engine
from copydesk_server.engine_process.messages import EngineSettings, Message, result_message
from copydesk_server.engine_process.worker_main import Channel, live, prepare
from copydesk_server.errors import EngineProtocolError

log = logging.getLogger(__name__)

SILENT = 30
"""Signs of life after which a server that gave none is taken to be gone."""
GREETING = 1 << 16
"""Bytes of the first frame."""
SHORTEST_BEAT, LONGEST_BEAT = 0.01, 60.0


class CancelledJobs:
    """The flags of a worker whose server shares no memory with it: by the jobs' ids. From any thread.

    A cancel may come before its job, for it overtakes what waits in the server.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._cancelled: set[int] = set()
        self._latest = 0

    def __getitem__(self, job: int) -> bool:
        return job in self._cancelled

    def submitted(self, job: int) -> None:
        """It has come."""
        with self._lock:
            self._running.add(job)
            self._latest = max(self._latest, job)

    def cancel(self, job: int) -> None:
        """It is to stop. Does nothing for one that was answered."""
        with self._lock:
            if job in self._running or job > self._latest:
                self._cancelled.add(job)

    def answered(self, job: int) -> None:
        """It is over."""
        with self._lock:
            self._running.discard(job)
            self._cancelled.discard(job)


class StdioChannel(Channel):
    """The engine's end of standard input and output."""

    def __init__(self, sink: BinaryIO) -> None:
        self.cancelled = CancelledJobs()
        super().__init__(lambda frame: _write(sink, frame), self.cancelled)
        self._looks = 0  # signs of life of this side since the last from the other

    def heard(self) -> None:
        """The other side lives, or is not listened to."""
        self._looks = 0

    def silent(self) -> bool:
        """Count one more sign of life of this side: whether the other's is overdue."""
        self._looks += 1
        return self._looks > SILENT

    def send(self, message: Message) -> None:
        """From any thread."""
        frame = frame_of(message)
        if message["kind"] == "result":
            self.cancelled.answered(message["id"])
            if len(frame) > TO_SERVER:
                reason = "the edit is larger than what may be sent"
                frame = frame_of(result_message(message["id"], "failed", reason, message["version"]))
        with self._lock:
            self._send(frame)


def run(entry: str, defaults: EngineSettings) -> NoReturn:
    """Serve whoever is at the other end of standard input and output, by `entry` ("module:function").

    defaults: what counts where the server leaves it open. Raises EngineProtocolError where nobody speaks the protocol there.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        raise EngineProtocolError(
            "`copydesk engine` is for language servers, not for people: name it in their setting `engine.command`"
        )
    source, sink = _take_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        hello = message_of(read_frame(source, GREETING))
    except EOFError:
        raise EngineProtocolError("nobody greeted") from None
    different = mismatch(hello)
    _write(sink, frame_of(engine_hello()))
    if different is not None:
        raise EngineProtocolError(different)
    check_to_engine(hello)
    settings = prepare(settings_of(hello, defaults))
    channel = StdioChannel(sink)
    threading.Thread(target=_read, args=(source, channel), name="pipe", daemon=True).start()
    beat = min(max(SHORTEST_BEAT, hello["beat"]), LONGEST_BEAT)
    threading.Thread(target=_beat, args=(channel, beat), name="beat", daemon=True).start()
    live(entry, channel, settings)


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's own descriptors. From now on 0 is empty and 1 is standard error, for everybody else."""
    source, sink = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return os.fdopen(source, "rb"), io.FileIO(sink, "wb")


def _read(source: BinaryIO, channel: StdioChannel) -> NoReturn:
    code = 0
    try:
        while True:
            body = read_frame(source, TO_ENGINE)
            channel.heard()
            message = check_to_engine(message_of(body))
            kind = message["kind"]
            if kind == "bye":
                break
            if kind == "ping":
                channel.send({"kind": "pong", "id": message["id"]})
                continue
            if kind == "submit":
                message["slot"] = message["id"]
                channel.cancelled.submitted(message["id"])
            elif kind == "cancel":
                channel.cancelled.cancel(message["id"])
            elif kind == "logging":
                message["file"] = None  # it is a path of the other side's
            channel.inbox.put(message, len(body), channel.heard)
    except (EOFError, OSError):
        pass  # the other side is gone, however it went
    except EngineProtocolError as error:
        log.error("the server sent %s", error)
        code = 2
    os._exit(code)


def _beat(channel: StdioChannel, seconds: float) -> NoReturn:
    """Say that the process lives, and end it where the other side does not."""
    with contextlib.suppress(OSError):  # the other side is gone, and the reader may be waiting for room
        while not channel.silent():
            channel.send({"kind": "alive"})
            time.sleep(seconds)
        log.warning("nothing was heard for %g seconds", SILENT * seconds)
    os._exit(0)


def _write(sink: BinaryIO, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[sink.write(rest) :]
