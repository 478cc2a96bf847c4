"""The engine's worker in a thread of the test's own process: what the two say to each other is encoded and decoded as on the pipe."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from copydesk.editor import Editor
from copydesk_server.engine_process.flags import SLOTS
from copydesk_server.engine_process.messages import EngineSettings, Message, decode, encode
from copydesk_server.engine_process.worker import Worker, info_of
from copydesk_server.engine_process.worker_main import Channel


class ThreadConnection:
    """Stands in for an `EngineConnection`; `editor` serves. It cannot die."""

    full = False
    pid = None

    def __init__(
        self,
        editor: Editor,
        settings: EngineSettings,
        on_message: Callable[[Any, Message], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_message = on_message
        self.gone: asyncio.Future[None] = self._loop.create_future()
        self._channel = Channel(self._hear, bytearray(SLOTS))
        self._editor, self._settings = editor, settings
        self._thread = threading.Thread(target=Worker(editor, self._channel, quiet=0.0).serve)
