"""One client from its first byte to its last: `initialize` is answered first, and only then is the server imported.

Importing pygls and LSP's types takes longer than a person should wait for `initialize`; what it is answered with is known without
them (`capabilities.py`). What the client sends meanwhile waits in the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from copydesk import __version__
from copydesk_server.lsp import incoming, wire
from copydesk_server.lsp.capabilities import NAME, server_capabilities
from copydesk_server.lsp.logs import Log
from copydesk_server.lsp.transport import (
    Connection,
    accept_one,
    guard_standard_streams,
    listen,
    loopback_address,
    over_descriptors,
)
from copydesk_server.permanent import permanent

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer


@dataclass(frozen=True, slots=True)
class Options:
    """The command line. What the client's settings say goes before model, device and dtype."""

    tcp: str | None = None
    model: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    seed: int = 0
    log_file: str | None = None
    log_level: str | None = None
    quiet: bool = False
    engine_host: str | None = None
    """What runs in the engine's process, as `module:function`, where it is not the engine. No option of the command line."""


def run(options: Options) -> int:
    """Serve one client and return the exit code: 0 after `shutdown`, else 1. Raises TransportError and LogFileError."""
    log = Log(file=options.log_file, quiet=options.quiet)
    try:
        if options.tcp is None:
            return asyncio.run(_stdio(guard_standard_streams(), options, log))
        host, port = loopback_address(options.tcp)
        listener = listen(host, port)
        host, port = listener.getsockname()[:2]
        if not options.quiet:
            print(f"copydesk: listening on {host}:{port}", file=sys.stderr, flush=True)  # noqa: T201
        return asyncio.run(_tcp(listener, options, log))
    finally:
        log.close()


async def _stdio(descriptors: tuple[int, int], options: Options, log: Log) -> int:
    return await _serve(over_descriptors(*descriptors), options, log)


async def _tcp(listener: socket.socket, options: Options, log: Log) -> int:
    return await _serve(await accept_one(listener), options, log)


async def _serve(connection: Connection, options: Options, log: Log) -> int:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers on its loop
            loop.add_signal_handler(number, connection.end, f"signal {number.name}")
    server: CopydeskServer | None = None
    try:
        params = await greet(connection)
        if params is None:
            return 1
        server = _server(connection, options, params, log)
        while server.exit_code is None and (body := await connection.frame()) is not None:
            server.protocol.receive(body)
            # What a request's handler does before its first await sees the documents as they were when the request came.
            await asyncio.sleep(0)
        return server.close_code()
    finally:
        if server is not None:
            await server.finish(connection.failure)
        await connection.close()


async def greet(connection: Connection) -> dict[str, Any] | None:
    """Wait for `initialize` and answer it. Returns its params; None where the client went away, or said `exit`, before."""
    while (body := await connection.frame()) is not None:
        try:
            message = incoming.decode(body)
        except wire.MessageError as error:
            answer = error.answer()
            if answer is not None:
                connection.send(wire.encode(answer))
            continue
        method, ident = message.get("method"), message.get("id")
        if method is None:
            continue
        if ident is None:
            if method == "exit":
                return None
            continue
        if method != "initialize":
            refusal = wire.error_message(ident, wire.NOT_INITIALIZED, f"{method} before initialize")
            connection.send(wire.encode(refusal))
            continue
        params = message.get("params")
        if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
            refusal = wire.error_message(
                ident, wire.INVALID_PARAMS, "initialize needs the client's capabilities"
            )
            connection.send(wire.encode(refusal))
            continue
        result = {
            "capabilities": server_capabilities(params["capabilities"]),
            "serverInfo": {"name": NAME, "version": __version__},
        }
        connection.send(wire.encode({"jsonrpc": "2.0", "id": ident, "result": result}))
        return params
    return None


def _server(connection: Connection, options: Options, params: dict[str, Any], log: Log) -> CopydeskServer:
    with permanent():  # the thousands of classes of LSP's types
        from copydesk_server.lsp.server import create_server

        return create_server(options, connection, params, log)
