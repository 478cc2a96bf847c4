"""JSON over HTTP with a server that may be slow, broken or hostile.

Every answer is limited in bytes and in time, redirects are refused, proxies are not used, and what a server says in an error is
cut, made printable and freed of the key before anybody sees it; of a request with text in it nobody does, above debug level.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import socket
import ssl
import threading
import time
from typing import Any

from copydesk.errors import ServerError
from copydesk.served.address import ServerAddress
from copydesk.served.keys import Key

log = logging.getLogger(__name__)

MOST_BYTES = 4 << 20
"""Of one answer, where the caller expects no more."""
CONNECT_SECONDS = 5.0
_BLOCK = 1 << 16
_QUOTED = 300
"""Characters of a server's own words in an error."""


SECONDS_A_TOKEN = 0.25
"""That a server has for each token it may write, beside the time for any answer: a small machine writes ten a second."""


class CancelledError(ServerError):
    """The request was given up."""


class Call:
    """One request that another thread may give up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.given_up = False
        self.expired = False

    def give_up(self) -> None:
        """Close its connection, now or as soon as there is one."""
        with self._lock:
            self.given_up = True
            if self._socket is not None:
                _shut(self._socket)

    def expire(self) -> None:
        """The answer under way took too long."""
        with self._lock:
            self.expired = True
            if self._socket is not None:
                _shut(self._socket)

    def hold(self, connected: socket.socket | None) -> None:
        """Its connection is this one, or none any more."""
        with self._lock:
            self._socket = connected
            if connected is not None and self.given_up:
                _shut(connected)


class HttpClient:
    """Requests to one server, each on a connection of its own; any thread may ask."""

    def __init__(self, address: ServerAddress, key: Key | None, seconds: float) -> None:
        """seconds: how long an answer may take, from its question to its last byte."""
        self.address = address
        self._key = key
        self._seconds = seconds

    def get(self, path: str, call: Call | None = None) -> Any:
        """As `post`."""
        return self._ask("GET", path, None, call or Call(), MOST_BYTES)

    def post(
        self,
        path: str,
        body: dict[str, Any],
        call: Call | None = None,
        most_bytes: int = MOST_BYTES,
        tokens: int = 0,
    ) -> Any:
        """The answer's JSON. tokens: how many the server may write, for which it has more time. Raises ServerError,
        `CancelledError` where the call was given up.
        """
        return self._ask("POST", path, body, call or Call(), most_bytes, tokens * SECONDS_A_TOKEN)

    def _ask(
        self, method: str, path: str, body: dict[str, Any] | None, call: Call, most: int, more: float = 0.0
    ) -> Any:
        seconds = self._seconds + more
        ends = time.monotonic() + seconds
        late = threading.Timer(seconds, call.expire)  # a header may drip in byte by byte
        late.daemon = True
        late.start()
        try:
            status, raw = self._exchange(method, path, body, call, most, ends)
        except (OSError, http.client.HTTPException) as error:
            if call.given_up:
                raise CancelledError("cancelled") from None
            late_error = TimeoutError() if call.expired else error
            raise ServerError(f"{self.address.authority} {self._trouble(late_error, seconds)}") from None
        finally:
            late.cancel()
            call.hold(None)
        if call.given_up:
            raise CancelledError("cancelled")
        where = f"{self.address.authority}{self.address.path}{path}"
        if 300 <= status < 400:
            raise ServerError(f"{where} redirects elsewhere, which is not followed")
        if status in (401, 403):
            raise ServerError(
                f"{where} refuses the key" if self._key else f"{where} wants a key; set COPYDESK_SERVER_KEY"
            )
        if status != 200:
            said = self._said(raw)
            log.debug("%s answers %d%s", where, status, said)
            # What it says of a prompt may quote it, and errors quote no document.
            raise ServerError(f"{where} answers {status}{said if body is None else ''}")
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise ServerError(f"{where} answers something that is not JSON") from None

    def _exchange(
        self, method: str, path: str, body: dict[str, Any] | None, call: Call, most: int, ends: float
    ) -> tuple[int, bytes]:
        address = self.address
        host, port, wait = address.host, address.port, min(CONNECT_SECONDS, self._seconds)
        connection: http.client.HTTPConnection
        if address.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=wait, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=wait)
        try:
            connection.connect()
            held = connection.sock
            call.hold(held)
            held.settimeout(max(0.001, ends - time.monotonic()))
            headers = {"Accept": "application/json", "Connection": "close", "Accept-Encoding": "identity"}
            if self._key is not None:
                headers["Authorization"] = self._key.header
            payload = None
            if body is not None:
                headers["Content-Type"] = "application/json"
                payload = json.dumps(body, separators=(",", ":")).encode()
            connection.request(method, address.path + path, payload, headers)
            response = connection.getresponse()
            parts: list[bytes] = []
            size = 0
            while True:
                left = ends - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                held.settimeout(left)
                block = response.read1(_BLOCK)
                if not block:
                    return response.status, b"".join(parts)
                size += len(block)
                if size > most:
                    raise ServerError(
                        f"{address.authority} answers with more than {most} bytes; the rest was not read"
                    )
                parts.append(block)
        finally:
            connection.close()

    def _trouble(self, error: Exception, seconds: float) -> str:
        if isinstance(error, TimeoutError):
            return f"has not answered within {seconds:g} seconds"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"has a certificate that is not trusted: {self._clean(error.verify_message)}"
        if isinstance(error, ConnectionRefusedError):
            return "refuses connections: is the server running?"
        if isinstance(error, socket.gaierror):
            return "is not a host that can be found"
        if isinstance(error, http.client.HTTPException):
            return f"does not answer in HTTP ({type(error).__name__})"
        return f"cannot be asked: {self._clean(error.strerror if isinstance(error, OSError) and error.strerror else str(error))}"

    def _said(self, raw: bytes) -> str:
        """What the server says went wrong, behind a colon."""
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            value = None
        for name in ("error", "message", "detail"):
            if isinstance(value, dict) and name in value:
                value = value[name]
        return f": {self._clean(value)}" if isinstance(value, str) and value.strip() else ""

    def _clean(self, text: str) -> str:
        text = self._key.redacted(text) if self._key else text
        text = "".join(character if character.isprintable() else " " for character in text[: 4 * _QUOTED])
        text = " ".join(text.split())
        return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"


def _shut(held: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may have ended by itself
        held.shutdown(socket.SHUT_RDWR)
