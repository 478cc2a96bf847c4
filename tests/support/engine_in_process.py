"""The engine's worker in a thread of the test's own process; messages are encoded and decoded as they are on the pipe."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from copydesk_server.engine_process.flags import SLOTS
from copydesk_server.engine_process.messages import EngineSettings, Message, decode, encode
from copydesk_server.engine_process.worker import Worker, info_of
from copydesk_server.engine_process.worker_main import Channel
from desks import editor


class ThreadConnection:
    """In place of an `EngineConnection`: the worker of a mock model, which is ready at once and cannot die."""

    full = False
    pid = None

    def __init__(
        self,
        _launch: Any,
        on_message: Callable[[Any, Message], None],
        _on_gone: Any,
        _on_room: Any,
        *,
        overtaking: Any,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_message = on_message
        self.gone: asyncio.Future[None] = self._loop.create_future()
        self._channel = Channel(self._hear, bytearray(SLOTS))
        self._editor = editor()
        self._worker = Worker(self._editor, self._channel, quiet=0.0)
        self._thread = threading.Thread(target=self._worker.serve)

    def start(self) -> None:
        self._thread.start()
        self._channel.send({"kind": "ready", "info": info_of(self._editor, EngineSettings(), 0.0)})

    def send(self, message: Message) -> None:
        self._channel.inbox.put(decode(encode(message)))

    def end(self) -> None:
        self.send({"kind": "stop"})
        self._thread.join()
        self.gone.set_result(None)

    def _hear(self, frame: bytes) -> None:
        self._loop.call_soon_threadsafe(self._on_message, self, decode(frame))
