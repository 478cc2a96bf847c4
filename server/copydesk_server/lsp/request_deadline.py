"""The deadline of requests, by the setting `requestTimeout`: time counts from when the engine is ready to work on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pygls.exceptions import JsonRpcException

from copydesk_server.engine_process.engine_state import State
from copydesk_server.engine_process.messages import ModelInfo
from copydesk_server.lsp import jsonrpc
from copydesk_server.lsp.settings import SettingsStore

NOT_BEGUN: tuple[State, ...] = ("idle", "loading")
"""States in which no request's time counts yet. A restart counts: the request was being worked on."""
LOADING_SECONDS = 600.0
"""A request is not kept waiting longer for a model that loads."""


class RequestDeadline:
    """The same for all requests of a session; a listener of the engine."""

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings
        self._state: State = "idle"
        self._waiting: list[_Clock] = []

    @property
    def seconds(self) -> float:
        """How long a request may take."""
        return self._settings.of(None).request_timeout

    def start(self, expire: Callable[[], None]) -> Callable[[], None]:
        """Call `expire` once the time is over. Returns what stops the clock."""
        if self._state not in NOT_BEGUN:
            return asyncio.get_running_loop().call_later(self.seconds, expire).cancel
        clock = _Clock(expire)
        clock.start(LOADING_SECONDS)
        self._waiting = [*(waiting for waiting in self._waiting if not waiting.stopped), clock]
        return clock.stop

    def error(self) -> JsonRpcException:
        """What an overdue request is answered with."""
        why = {
            "loading": "; the model is still loading",
            "restarting": "; the engine is being started again",
        }.get(self._state, "")
        seconds = LOADING_SECONDS if self._state in NOT_BEGUN else self.seconds
        return JsonRpcException(
            f"no answer within {seconds:g} seconds (the setting `requestTimeout`){why}",
            jsonrpc.REQUEST_FAILED,
        )

    def engine_state(self, state: State, message: str | None, model: ModelInfo | None) -> None:  # noqa: ARG002
        """The time of requests that came before the engine was ready begins."""
        self._state = state
        if state not in NOT_BEGUN:
            waiting, self._waiting = self._waiting, []
            for clock in waiting:
                clock.start(self.seconds)

    def engine_progress(self, message: str, percentage: int | None) -> None:
        """Loading takes as long as it takes."""


class _Clock:
    """The time of a request that came before the engine was ready."""

    def __init__(self, expire: Callable[[], None]) -> None:
        self._expire = expire
        self._timer: asyncio.TimerHandle | None = None
        self.stopped = False

    def start(self, seconds: float) -> None:
        if not self.stopped:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_later(seconds, self._expire)

    def stop(self) -> None:
        self.stopped = True
        if self._timer is not None:
            self._timer.cancel()
