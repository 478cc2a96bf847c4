"""Gets settings from the client: asked for where the client can be asked, taken from what it sends otherwise.

What they mean is up to `settings.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.settings import SECTION

PATIENCE = 5.0
"""Seconds to wait for a client that said it has settings before going on with the defaults."""


class Configuration:
    """The newest question wins: answers to older ones are dropped."""

    def __init__(self, state: SessionState, client: Client, tasks: BackgroundTasks) -> None:
        self._state, self._client, self._tasks = state, client, tasks
        self._asked = 0
        self._pushed: Any = state.capabilities.options.get("settings")
        if self._pushed is not None:
            state.settings.set_values(self._pushed)

    async def first(self) -> None:
        """The settings to start with. Returns without them where the client is slow to answer; they count when they come."""
        if self._state.capabilities.configuration:
            pull = self._tasks.spawn(self.pull(), "configuration")
            await asyncio.wait({pull}, timeout=PATIENCE)

    async def follow(self) -> None:
        """Ask to be told of changes, where that has to be asked for."""
        if self._state.capabilities.registers_configuration:
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            await self._client.register_capability("configuration", method, {"section": SECTION})

    async def pull(self) -> None:
        """Ask for the server's settings and those of every folder."""
        self._asked += 1
        number = self._asked
        roots = tuple(self._state.folders)
        items = [types.ConfigurationItem(section=SECTION)]
        items += [types.ConfigurationItem(scope_uri=root, section=SECTION) for root in roots]
        answer = await self._client.configuration(items)
        if answer is None or number != self._asked:
            return
        values: list[Any] = list(answer)
        values += [None] * (len(items) - len(values))
        everywhere = values[0] if values[0] is not None else self._pushed
        folders = {root: value for root, value in zip(roots, values[1:], strict=False) if value is not None}
        self._state.settings.set_values(everywhere, folders)

    def pushed(self, values: Any) -> None:
        """What a client sent that cannot be asked."""
        if isinstance(values, Mapping) and SECTION in values:
            self._pushed = values[SECTION]
            self._state.settings.set_values(self._pushed)
