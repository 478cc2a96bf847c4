"""Gets settings from the client: asked for where the client can be asked, taken from what it sends otherwise.

Knows how they travel; what they mean is `settings.py`'s.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from copydesk_server.lsp.settings import SECTION

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds to wait for a client that said it has settings before going on with the defaults."""


class Configuration:
    """The newest question wins: answers to older ones are dropped."""

    def __init__(self, server: CopydeskServer) -> None:
        self._server = server
        self._asked = 0
        self._pushed: Any = server.client.options.get("settings")
        if self._pushed is not None:
            server.settings.set_values(self._pushed)

    async def first(self) -> None:
        """The settings to start with. Returns without them where the client is slow to answer; they count when they come."""
        if self._server.client.configuration:
            pull = self._server.spawn(self.pull(), "configuration")
            await asyncio.wait({pull}, timeout=PATIENCE)

    async def follow(self) -> None:
        """Ask to be told of changes, where that has to be asked for."""
        if self._server.client.registers_configuration:
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            await self._server.register_capability("configuration", method, {"section": SECTION})

    async def pull(self) -> None:
        """Ask for the server's settings and those of every folder."""
        self._asked += 1
        number = self._asked
        roots = tuple(self._server.folders)
        items = [types.ConfigurationItem(section=SECTION)]
        items += [types.ConfigurationItem(scope_uri=root, section=SECTION) for root in roots]
        try:
            answer = await self._server.workspace_configuration_async(types.ConfigurationParams(items=items))
        except JsonRpcException as error:
            log.warning("the client has no settings to give (%d)", error.code)
            return
        if number != self._asked:
            return
        values: list[Any] = list(answer or ())
        values += [None] * (len(items) - len(values))
        everywhere = values[0] if values[0] is not None else self._pushed
        folders = {root: value for root, value in zip(roots, values[1:], strict=False) if value is not None}
        self._server.settings.set_values(everywhere, folders)

    def pushed(self, values: Any) -> None:
        """What a client sent that cannot be asked."""
        if isinstance(values, Mapping) and SECTION in values:
            self._pushed = values[SECTION]
            self._server.settings.set_values(self._pushed)


def register(server: CopydeskServer) -> None:
    """Follow the person's changes."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        if server.client.configuration:
            await server.configuration.pull()
        else:
            server.configuration.pushed(params.settings)
