"""How a client becomes the one that is served: it asks for `initialize`, and where a token is asked for it knows the token.

Made of the standard library alone: `initialize` is answered before anything else is imported.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import socket
from collections.abc import Callable
from typing import Any

from copydesk import __version__
from copydesk_server.lsp import incoming, jsonrpc
from copydesk_server.lsp.capabilities import NAME, dig, server_capabilities
from copydesk_server.lsp.listening import WAITING, forget
from copydesk_server.lsp.transport import Connection, over_socket

log = logging.getLogger(__name__)


class RefusedError(Exception):
    """A client that may not be served."""


async def greet(
    connection: Connection, token: str | None = None, chosen: Callable[[], None] = lambda: None
) -> dict[str, Any] | None:
    """Wait for `initialize` and answer it. Returns its params; None where the client went away, or said `exit`, before.

    token: what the client must know; one that does not is answered with an error. Raises RefusedError then. chosen: called before
    the client hears that it is served.
    """
    while (body := await connection.frame()) is not None:
        try:
            message = incoming.decode(body)
        except jsonrpc.MessageError as error:
            answer = error.answer()
            if answer is not None:
                connection.send(jsonrpc.encode(answer))
            continue
        method, ident = message.get("method"), message.get("id")
        if method is None:
            continue
        if ident is None:
            if method == "exit":
                return None
            continue
        if method != "initialize":
            refusal = jsonrpc.error_message(ident, jsonrpc.NOT_INITIALIZED, f"{method} before initialize")
            connection.send(jsonrpc.encode(refusal))
            continue
        params = message.get("params")
        if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
            refusal = jsonrpc.error_message(
                ident, jsonrpc.INVALID_PARAMS, "initialize needs the client's capabilities"
            )
            connection.send(jsonrpc.encode(refusal))
            continue
        if token is not None:
            shown = dig(params, "initializationOptions", "copydesk", "token")
            if not isinstance(shown, str) or not hmac.compare_digest(_secret(shown), _secret(token)):
                reason = "initializationOptions.copydesk.token is not the token that was printed at the start"
                connection.send(jsonrpc.encode(jsonrpc.error_message(ident, jsonrpc.INVALID_PARAMS, reason)))
                raise RefusedError
        chosen()
        connection.welcome()
        result = {
            "capabilities": server_capabilities(params["capabilities"]),
            "serverInfo": {"name": NAME, "version": __version__},
        }
        connection.send(jsonrpc.encode({"jsonrpc": "2.0", "id": ident, "result": result}))
        return params
    return None


class Greeter:
    """Asks everybody who connects for `initialize`, all at once, until one may be served: then nobody can connect any more.

    Nobody keeps the right one waiting: where too many wait in silence the oldest goes.
    """

    def __init__(self, listener: socket.socket, token: str | None) -> None:
        self._listener, self._token = listener, token
        self._loop = asyncio.get_running_loop()
        self._found: asyncio.Future[tuple[Connection, dict[str, Any]] | None] = self._loop.create_future()
        self._chosen = False
        self._asked: list[asyncio.Task[None]] = []

    async def first(self) -> tuple[Connection, dict[str, Any]] | None:
        """The first that may be served, with its params, `initialize` answered; None after `end`."""
        accepting = asyncio.create_task(self._accept())
        try:
            await asyncio.wait((self._found, accepting), return_when=asyncio.FIRST_COMPLETED)
            if not self._found.done():
                accepting.result()
            return await self._found
        finally:
            tasks = [accepting, *self._asked]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def end(self, reason: str) -> None:
        """Nobody is waited for any more; and who was found just now is let go."""
        if not self._found.done():
            self._found.set_result(None)
        elif (found := self._found.result()) is not None:
            found[0].end(reason)

    async def _accept(self) -> None:
        self._listener.setblocking(False)
        while True:
            try:
                client, _ = await self._loop.sock_accept(self._listener)
            except OSError:
                if self._chosen:  # which closed the listener
                    return
                raise
            self._asked = [task for task in self._asked if not task.done()]
            if len(self._asked) >= WAITING:
                self._asked[0].cancel()
            self._asked.append(
                asyncio.create_task(self._ask(over_socket(client, stranger=self._token is not None)))
            )

    async def _ask(self, connection: Connection) -> None:
        served = False
        try:
            params = await greet(connection, self._token, self._choose)
            if params is not None and not self._found.done():
                served = True
                self._found.set_result((connection, params))
        except RefusedError:
            log.warning("a client that may not be served was refused")
        finally:
            if not served:
                await connection.close()

    def _choose(self) -> None:
        """A client may be served. Raises RefusedError where another one was first."""
        if self._chosen:
            raise RefusedError
        self._chosen = True
        with contextlib.suppress(NotImplementedError):  # not every loop has readers
            self._loop.remove_reader(self._listener)
        forget(self._listener)


def _secret(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")
