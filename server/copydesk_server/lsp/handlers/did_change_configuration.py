"""`workspace/didChangeConfiguration`: settings are asked for anew, or taken from a client that cannot be asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lsprotocol import types

from copydesk_server.lsp.configuration import Configuration


def did_change_configuration(
    configuration: Configuration, *, pull: bool
) -> Callable[[types.DidChangeConfigurationParams], Awaitable[None]]:
    """pull: whether the client can be asked."""

    async def handle(params: types.DidChangeConfigurationParams) -> None:
        if pull:
            await configuration.pull()
        else:
            configuration.pushed(params.settings)

    return handle
