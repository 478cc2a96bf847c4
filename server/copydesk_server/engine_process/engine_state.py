"""The states of the engine, and who is told when they change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from copydesk_server.engine_process.messages import ModelInfo

State: TypeAlias = Literal["idle", "loading", "ready", "restarting", "failed", "closed"]
"""idle: not started yet. restarting: the process died, until the new one is ready. failed: no model can be loaded."""


class EngineListener(Protocol):
    """Called on the loop."""

    def engine_state(self, state: State, message: str | None, model: ModelInfo | None) -> None:
        """Once per change. `restarting` and `failed` carry the message a person reads. model: the one loaded, if any."""

    def engine_progress(self, message: str, percentage: int | None) -> None:
        """What loading is about."""


class EngineListeners:
    """Several listeners as one, in order."""

    def __init__(self, listeners: Sequence[EngineListener]) -> None:
        self._listeners = tuple(listeners)

    def engine_state(self, state: State, message: str | None, model: ModelInfo | None) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.engine_state(state, message, model)

    def engine_progress(self, message: str, percentage: int | None) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.engine_progress(message, percentage)
