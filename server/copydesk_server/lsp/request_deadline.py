"""The deadline of requests, by the setting `requestTimeout`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pygls.exceptions import JsonRpcException

from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp import jsonrpc
from copydesk_server.lsp.settings import SettingsStore


class RequestDeadline:
    """The same for all requests of a session."""

    def __init__(self, settings: SettingsStore, engine: Engine) -> None:
        self._settings, self._engine = settings, engine

    @property
    def seconds(self) -> float:
        """How long a request may take."""
        return self._settings.of(None).request_timeout

    def start(self, expire: Callable[[], None]) -> Callable[[], None]:
        """Call `expire` once the time is over. Returns what stops the clock."""
        return asyncio.get_running_loop().call_later(self.seconds, expire).cancel

    def error(self) -> JsonRpcException:
        """What an overdue request is answered with."""
        why = {
            "loading": "; the model is still loading",
            "restarting": "; the engine is being started again",
        }.get(self._engine.state, "")
        return JsonRpcException(
            f"no answer within {self.seconds:g} seconds (the setting `requestTimeout`){why}",
            jsonrpc.REQUEST_FAILED,
        )
