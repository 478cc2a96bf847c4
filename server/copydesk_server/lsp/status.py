"""`copydesk/status`: how the server is, asked for or told. Knows figures; no text of anybody's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

STATUS = "copydesk/status"


def register(server: CopydeskServer) -> None:
    """Answer the request. The notification goes out with every change of the engine, to clients that asked for it."""

    @server.feature(STATUS)
    async def status(_: Any) -> dict[str, Any]:
        figures = await server.engine.status()
        return {**figures, "openDocuments": len(server.documents), "positionEncoding": server.encoding.value}


def tell(server: CopydeskServer, state: str, message: str | None) -> None:
    """The engine's state changed."""
    if server.client.wants_status:
        info = server.engine.info
        model = {"model": info.name, "device": info.device, "dtype": info.dtype} if info is not None else {}
        server.protocol.notify(STATUS, {"state": state, "message": message, **model})
