"""The engine as a command that a person set (`engine.command`): any program that speaks the protocol over its streams.

Whatever it says is data: a frame has a limit, a message is checked, and what is neither ends it. Its standard error goes to the
server's own, and its last line there is told where it ends by itself: that is where `ssh` says what is wrong.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import subprocess
import threading
from pathlib import Path
from typing import IO

from copydesk.files.executables import find_executable
from copydesk_server.engine_process.child_process import GRACE
from copydesk_server.engine_process.frames import TO_SERVER, frame_of, message_of, read_frame
from copydesk_server.engine_process.handshake import mismatch, server_hello
from copydesk_server.engine_process.message_check import check_to_server
from copydesk_server.engine_process.messages import EngineSettings, Message
from copydesk_server.errors import EngineProtocolError, EngineStartError
from copydesk_server.printable import one_line

log = logging.getLogger(__name__)

OVERTAKING = frozenset({"cancel", "ping", "status", "logging", "bye"})
"""What goes before changes and requests that wait to be written."""
WORDS = 300
"""Characters that are told of a message for people, and of the last line of standard error."""


class CommandProcess:
    """An `EngineProcess`. Raises EngineStartError."""

    def __init__(self, settings: EngineSettings, beat: float) -> None:
        program, *arguments = settings.command or ("",)
        self._name = Path(program).name
        try:
            self._process = subprocess.Popen(
                [_found(program), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=os.path.dirname(os.__file__),  # never the folder that is open
                start_new_session=True,  # no terminal to ask on, no Ctrl-C, and one group to end
            )
        except OSError as error:
            raise EngineStartError(f"`{self._name}` cannot be started: {error.strerror}") from None
        self.bytes_sent = self.bytes_received = 0
        self.copydesk: str | None = None  # the other side's version, once it is known
        self._streamed = 0  # bytes of hunks since the last result
        self._ended = threading.Lock()
        self._over = False
        self._said = b""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._errors = threading.Thread(target=self._tell, args=(self._process.stderr,), daemon=True)
        self._errors.start()
        with contextlib.suppress(OSError):  # it is gone already; the reader says so
            self.send(server_hello(settings, beat))

    @property
    def pid(self) -> int | None:
        """The operating system's number; of the command, not of what it may run elsewhere."""
        return self._process.pid

    def receive(self) -> Message:
        """The next message. Raises EOFError, OSError, EngineProtocolError."""
        try:
            frame = read_frame(self._output, TO_SERVER)
            self.bytes_received += len(frame) + 4
            message = message_of(frame)
            if self.copydesk is not None:
                return self._bounded(check_to_server(message), len(frame))
            different = mismatch(message)
        except EngineProtocolError as error:
            if self.copydesk is None:
                raise EngineProtocolError(
                    f"`{self._name}` does not answer as an engine: {error}; the command must print nothing of its own"
                ) from None
            raise EngineProtocolError(f"it sent {error}") from None
        if different is not None:
            return {"kind": "failed", "message": different}
        self.copydesk = message["copydesk"]
        log.info("connected to an engine of copydesk %s", one_line(message["copydesk"])[:32])
        return {"kind": "progress", "message": "Connected", "percentage": None}

    def _bounded(self, message: Message, size: int) -> Message:
        """As it is, but for what people read, which is cut. Raises EngineProtocolError for a stream without an end."""
        kind = message["kind"]
        if kind == "hunk":
            self._streamed += size
            if self._streamed > TO_SERVER:
                raise EngineProtocolError("more hunks than an edit has")
        elif kind == "result":
            self._streamed = 0
        elif kind in ("failed", "progress"):
            message["message"] = one_line(message["message"])[:WORDS]
        return message

    def send(self, message: Message) -> None:
        """Raises OSError where nobody reads any more, ValueError for what cannot be written."""
        frame = memoryview(frame_of(message))
        self.bytes_sent += len(frame)
        while frame:
            frame = frame[self._input.write(frame) :]

    def kill(self) -> None:
        """From any thread. Ends what the command started, too, unless that has left its session."""
        with self._ended:
            if self._over:
                return
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def wait(self) -> int | None:
        """The exit code of the process, which has closed its pipe; negative for a signal."""
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        self.kill()  # what it left behind may hold the pipe, and be written to for ever
        with self._ended:
            self._over = True
        return code

    def last_words(self) -> str | None:
        """The last line it wrote to standard error, behind its name."""
        self._errors.join(GRACE)
        lines = [line for line in re.split(rb"[\r\n]+", self._said) if line.strip()]
        if not lines or self._process.returncode == 0:
            return None
        return f"{self._name}: {one_line(lines[-1].decode('utf-8', 'replace').strip())[:WORDS]}"

    def close(self) -> None:
        """Let go of the pipe; nothing reads or writes any more."""
        for stream in (self._input, self._output):
            with contextlib.suppress(OSError):
                stream.close()

    def _tell(self, stream: IO[bytes]) -> None:
        with stream:
            while piece := stream.read(4096):
                self._said = (self._said + piece)[-4 * WORDS :]
                with contextlib.suppress(OSError):  # nobody reads ours
                    os.write(2, piece)


def _found(program: str) -> str:
    if os.path.isabs(program):
        return program
    found = find_executable(program) if os.path.basename(program) == program else None
    if found is None:
        raise EngineStartError(
            f"`{one_line(program)[:WORDS]}`, which the setting `engine.command` names, is no program on PATH"
        )
    return str(found)
