"""What a person sees of the engine's life: a progress bar while the model loads, one message when something is wrong, and for
clients that ask for it a `copydesk/status` notification with every change, also of who lints.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from copydesk_server.engine_process.engine_state import State
from copydesk_server.engine_process.messages import ModelInfo
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.methods import STATUS
from copydesk_server.lsp.progress import Bar, ProgressBars


class EngineDisplay:
    """The engine's listener. status_notifications: whether the client asked for them."""

    def __init__(self, client: Client, bars: ProgressBars, *, status_notifications: bool) -> None:
        self._client, self._bars = client, bars
        self._status_notifications = status_notifications
        self._bar: Bar | None = None
        self._known: dict[str, Any] = {}
        self._linter: str = "other"

    def linting(self, linter: str) -> None:
        """Who lints has changed. Of no interest before the engine has a state."""
        self._linter = linter
        if self._known:
            self._notify()

    def engine_state(self, state: State, message: str | None, model: ModelInfo | None) -> None:
        """Once per change."""
        if state in ("loading", "restarting"):
            if self._bar is None:
                self._bar = self._bars.start("copydesk: loading the model")
        elif self._bar is not None:
            self._bar.end("ready" if state == "ready" else None)
            self._bar = None
        if state == "restarting":
            self._client.say_once("engine-restarting", f"copydesk: {message}.")
        elif state == "failed":
            self._client.say_once(
                "engine-failed", f"copydesk has no model: {message}", types.MessageType.Error
            )
        elif state in ("ready", "loading"):
            # Loading anew is the person's answer to a failure; another failure is news.
            self._client.settle("engine-failed")
            if state == "ready":
                self._client.settle("engine-restarting")
        figures = (
            {"model": model.name, "device": model.device, "dtype": model.dtype, "advice": model.advice}
            if model
            else {}
        )
        self._known = {"state": state, "message": message, **figures}
        self._notify()

    def _notify(self) -> None:
        if self._status_notifications:
            self._client.notify(STATUS, {**self._known, "linter": self._linter})

    def engine_progress(self, message: str, percentage: int | None) -> None:
        """What loading is about."""
        if self._bar is not None:
            self._bar.report(message, percentage)
