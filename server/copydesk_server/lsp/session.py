"""One client from its first byte to its last: `initialize` is answered first, and only then is the server imported.

Importing pygls and LSP's types takes longer than a person should wait for `initialize`; what it is answered with is known without
them (`capabilities.py`). What the client sends meanwhile waits in the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk_server.lsp.greeting import Greeter, greet
from copydesk_server.lsp.listening import forget, listen_tcp, listen_unix, loopback_address
from copydesk_server.lsp.logs import Log
from copydesk_server.lsp.options import Options
from copydesk_server.lsp.transport import Connection, guard_standard_streams, over_descriptors
from copydesk_server.permanent import permanent

if TYPE_CHECKING:
    from collections.abc import Callable

    from copydesk_server.lsp.app import App


def run(options: Options) -> int:
    """Serve one client and return the exit code: 0 after `shutdown`, else 1. Raises TransportError and LogFileError."""
    log = Log(file=options.log_file, quiet=options.quiet)
    try:
        if options.socket is not None:
            # Whoever can connect is this user: there is nothing to ask for.
            return _listen(listen_unix(Path(options.socket)), None, options, log)
        if options.tcp is not None:
            return _listen(
                listen_tcp(*loopback_address(options.tcp)), secrets.token_urlsafe(32), options, log
            )
        return asyncio.run(_stdio(guard_standard_streams(), options, log))
    finally:
        log.close()


def _listen(listener: socket.socket, token: str | None, options: Options, log: Log) -> int:
    name = listener.getsockname()
    address = name if isinstance(name, str) else ":".join(map(str, name[:2]))
    said = [] if options.quiet else [f"copydesk: listening on {address}"]
    if token is not None:  # also where nothing else is said: without it there is no client
        said.insert(0, f"copydesk: initializationOptions.copydesk.token must be {token}")
    if said:
        sys.stderr.write("\n".join(said) + "\n")
        sys.stderr.flush()
    try:
        return asyncio.run(_serve_first(listener, token, options, log))
    finally:
        forget(listener)


async def _stdio(descriptors: tuple[int, int], options: Options, log: Log) -> int:
    connection = over_descriptors(*descriptors)
    _end_by_signal(connection.end)
    try:
        params = await greet(connection)
        return 1 if params is None else await _serve(connection, options, params, log)
    finally:
        await connection.close()


async def _serve_first(listener: socket.socket, token: str | None, options: Options, log: Log) -> int:
    """Serve the first client that may be served, and nobody beside or after it."""
    greeter = Greeter(listener, token)
    _end_by_signal(greeter.end)
    first = await greeter.first()
    forget(listener)
    if first is None:
        return 1
    connection, params = first
    _end_by_signal(connection.end)
    try:
        return await _serve(connection, options, params, log)
    finally:
        await connection.close()


def _end_by_signal(end: Callable[[str], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers on its loop
            asyncio.get_running_loop().add_signal_handler(number, end, f"signal {number.name}")


async def _serve(connection: Connection, options: Options, params: dict[str, Any], log: Log) -> int:
    app: App | None = None
    try:
        app = _app(connection, options, params, log)
        while app.lifecycle.exit_code is None and (body := await connection.frame()) is not None:
            app.protocol.receive(body)
            # What a request's handler does before its first await sees the documents as they were when the request came.
            await asyncio.sleep(0)
        return app.lifecycle.close_code()
    finally:
        if app is not None:
            await app.lifecycle.finish(connection.failure)


def _app(connection: Connection, options: Options, params: dict[str, Any], log: Log) -> App:
    with permanent():  # the thousands of classes of LSP's types
        from copydesk_server.lsp.app import App

        return App(options, connection, params, log)
