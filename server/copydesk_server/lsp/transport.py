"""Where messages come from and go to: standard input and output, or a socket.

Both ends are threads round blocking calls, so that a client that reads slowly never holds up the event loop, and so that pipes,
files and consoles work alike on every system.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable

from copydesk.errors import CopydeskError
from copydesk_server.lsp.jsonrpc import MAX_BODY, Frames, FramingError
from copydesk_server.lsp.outgoing import Outgoing

CHUNK = 1 << 16
WAITING = 1 << 24
"""Bytes of messages that have arrived and were not taken, beyond which nothing more is read."""
HELD = 1 << 24
"""Bytes that wait to be written, beyond which the client is taken for one that does not read."""
STRANGER = 1 << 16
"""Bytes of each of these, and of one message, as long as nobody knows who the client is."""
FLUSH_SECONDS = 5.0
"""A client that does not read its last messages in this time does not get them."""


class TransportError(CopydeskError):
    """An address that is not served, or that cannot be had."""


class Connection:
    """One client. `frame` gives its messages' bodies in order, None at the end; `send` takes frames, from the loop's thread.

    A client that does not read what it is sent is not listened to either: `frame` waits, and soon nothing more is read, until
    there is room again. `failure` says why the end came, where it was not the client's own: malformed framing, a broken pipe.
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        write: Callable[[bytes], None],
        close: Callable[[], None],
        *,
        stranger: bool = False,
    ) -> None:
        """stranger: it may take next to no memory until it is welcome."""
        self.failure: str | None = None
        self._waiting = STRANGER if stranger else WAITING
        self._cut = Frames(STRANGER) if stranger else Frames()
        self._read, self._write, self._close = read, write, close
        self._loop = asyncio.get_running_loop()
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._over = False
        self._room = asyncio.Event()
        self._arrived = 0  # bytes in `_frames`
        self._taken = threading.Condition()
        self._out = Outgoing(lambda: self._on_loop(self._room.set), STRANGER if stranger else HELD)
        # Daemons: a blocking read has no other end than the process's.
        threading.Thread(target=self._reading, name="copydesk-read", daemon=True).start()
        self._writer = threading.Thread(target=self._writing, name="copydesk-write", daemon=True)
        self._writer.start()

    def welcome(self) -> None:
        """It is a stranger no longer."""
        self._waiting = WAITING
        self._cut.limit = MAX_BODY
        self._out.limit = HELD

    async def frame(self) -> bytes | None:
        """The next body; None when there will be no more."""
        while self._out.full and not self._over:
            self._room.clear()
            await self._room.wait()
        body = await self._frames.get()
        if body is not None:
            with self._taken:
                self._arrived -= len(body)
                self._taken.notify_all()
        return body

    def send(self, frame: bytes, key: str | None = None) -> None:
        """Returns at once. What cannot be written any more is dropped: the end of the frames says so. key: what still waits under
        the same key is replaced.
        """
        self._out.put(frame, key)

    async def close(self) -> None:
        """Write what was sent, then let go. The reading side may already be gone."""
        self._out.end()
        await asyncio.to_thread(self._writer.join, FLUSH_SECONDS)
        with contextlib.suppress(OSError):
            self._close()

    def end(self, reason: str | None = None) -> None:
        """Let the frames end, as if the client had gone. From any thread."""
        self._on_loop(self._ended, reason)

    def _on_loop(self, call: Callable[..., None], *args: object) -> None:
        # The loop may be gone before these threads are: then nobody waits for frames either.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *args)

    def _ended(self, reason: str | None) -> None:
        self.failure = self.failure or reason
        self._over = True
        self._room.set()
        self._frames.put_nowait(None)

    def _reading(self) -> None:
        frames = self._cut
        try:
            while data := self._read():
                for body in frames.feed(data):
                    with self._taken:
                        while self._arrived > self._waiting:
                            self._taken.wait()
                        self._arrived += len(body)
                    self._loop.call_soon_threadsafe(self._frames.put_nowait, body)
            self.end("the input ended in the middle of a message" if frames.midway else None)
        except FramingError as error:
            self.end(str(error))
        except (OSError, RuntimeError) as error:
            self.end(f"the input failed ({type(error).__name__})")

    def _writing(self) -> None:
        try:
            while (frame := self._out.get()) is not None:
                self._write(frame)
        except (OSError, ValueError) as error:
            self.end(f"the output failed ({type(error).__name__})")


def guard_standard_streams() -> tuple[int, int]:
    """Keep standard input and output to the protocol alone. Returns their private descriptors, which no child inherits.

    Afterwards descriptor 0 is empty and descriptor 1 is standard error, for this process, its libraries and its children: a
    stray print can no longer break a message, and no child can eat one.
    """
    private = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return private


def over_descriptors(source: int, sink: int) -> Connection:
    """Standard input and output, as `guard_standard_streams` gave them."""

    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(sink, view) :]

    def close() -> None:
        os.close(sink)

    return Connection(lambda: os.read(source, CHUNK), write, close)


def over_socket(client: socket.socket, *, stranger: bool = False) -> Connection:
    """One client that has connected. stranger: it has to say who it is."""
    client.setblocking(True)
    if client.family in (socket.AF_INET, socket.AF_INET6):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close() -> None:
        # Shutting down first: a thread that blocks in recv keeps a merely closed socket open.
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        client.close()

    return Connection(lambda: client.recv(CHUNK), client.sendall, close, stranger=stranger)
