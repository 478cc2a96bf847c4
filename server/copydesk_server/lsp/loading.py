"""What a person sees of the engine's life: a progress bar while the model loads, and one message when something is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from copydesk_server.engine_process.client import State
from copydesk_server.lsp import status

if TYPE_CHECKING:
    from copydesk_server.lsp.progress import Bar
    from copydesk_server.lsp.server import CopydeskServer


class Loading:
    """The engine's listener."""

    def __init__(self, server: CopydeskServer) -> None:
        self._server = server
        self._bar: Bar | None = None

    def engine_state(self, state: State, message: str | None) -> None:
        """Once per change."""
        if state in ("loading", "restarting"):
            if self._bar is None:
                self._bar = self._server.bars.start("copydesk: loading the model")
        elif self._bar is not None:
            self._bar.end("ready" if state == "ready" else None)
            self._bar = None
        if state == "restarting":
            self._server.say_once("engine-restarting", f"copydesk: {message}.")
        elif state == "failed":
            self._server.say_once(
                "engine-failed", f"copydesk has no model: {message}", types.MessageType.Error
            )
        elif state in ("ready", "loading"):
            # Loading anew is the person's answer to a failure; another failure is news.
            self._server.settle("engine-failed")
            if state == "ready":
                self._server.settle("engine-restarting")
        status.tell(self._server, state, message)

    def engine_progress(self, message: str, percentage: int | None) -> None:
        """What loading is about."""
        if self._bar is not None:
            self._bar.report(message, percentage)
