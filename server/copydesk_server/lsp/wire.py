"""LSP's base protocol: bytes to messages and back. Knows frames and JSON-RPC's errors; no method, no stream, no process.

Strict on purpose: what does not look like LSP is not answered. A web page that posts to the port of a TCP server must not get
one word in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeAlias

Message: TypeAlias = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002

MAX_HEADER = 1024
"""A header line as long as this is none of ours."""
MAX_BODY = 1 << 28

_HEADER = re.compile(rb"([A-Za-z-]+): ?([^\r\n]*)")
_CHARSET = re.compile(r"""charset="?([A-Za-z0-9-]+)"?""")


class FramingError(Exception):
    """Bytes that are not LSP's base protocol. What follows them cannot be read: the connection is over."""


class MessageError(Exception):
    """A frame whose content is no JSON-RPC message. `code` is the error it is answered with; the next frame may be fine."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Frames:
    """Cuts a stream of bytes into the bodies of messages. Raises FramingError, and is of no use afterwards."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None  # of the body whose header is being read
        self._body = False  # the header is complete

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that `data` completes. What is wrong raises as soon as its first line is there, or cannot end any more."""
        self._buffer += data
        while True:
            if self._body:
                assert self._length is not None
                if len(self._buffer) < self._length:
                    return
                body = bytes(self._buffer[: self._length])
                del self._buffer[: self._length]
                self._body, self._length = False, None
                yield body
                continue
            end = self._buffer.find(b"\r\n")
            if end < 0:
                if len(self._buffer) > MAX_HEADER or b"\n" in self._buffer:
                    raise FramingError("no header of the Language Server Protocol")
                return
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 2]
            self._take(line)

    @property
    def midway(self) -> bool:
        """Whether a message has begun and not ended."""
        return bool(self._buffer) or self._length is not None

    def _take(self, line: bytes) -> None:
        if not line:
            if self._length is None:
                raise FramingError("a message without Content-Length")
            self._body = True
            return
        match = _HEADER.fullmatch(line)
        name = match[1].lower() if match is not None else b""
        value = match[2].decode("latin-1").strip() if match is not None else ""
        if name == b"content-length":
            if self._length is not None or not re.fullmatch("[0-9]{1,12}", value) or int(value) > MAX_BODY:
                raise FramingError("a Content-Length that cannot be")
            self._length = int(value)
        elif name == b"content-type":
            charset = _CHARSET.search(value)
            if charset is not None and charset[1].lower() not in ("utf-8", "utf8"):
                raise FramingError("a character set other than UTF-8")
        else:
            raise FramingError("a header that is not the Language Server Protocol's")


def decode(body: bytes) -> Message:
    """The message in `body`. Raises MessageError for what is no JSON, or no object."""
    try:
        message = json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        # Never the parser's own words: they may quote the document.
        raise MessageError(PARSE_ERROR, "the message is not JSON in UTF-8") from None
    if not isinstance(message, dict):
        raise MessageError(INVALID_REQUEST, "a message is one JSON object")
    if message.get("jsonrpc") != "2.0":
        raise MessageError(INVALID_REQUEST, 'a message says "jsonrpc": "2.0"')
    if not isinstance(message.get("method", ""), str):
        raise MessageError(INVALID_REQUEST, "a method is a string")
    if "id" in message and "method" in message and not _is_id(message["id"]):
        raise MessageError(INVALID_REQUEST, "a request's id is a number or a string")
    if "method" not in message and (
        "id" not in message or ("result" not in message) == ("error" not in message)
    ):
        raise MessageError(INVALID_REQUEST, "neither a request, a notification nor a response")
    return message


def encode(message: Message, default: Any = None) -> bytes:
    """One frame. ASCII, so that lone surrogates travel too. `default`: as in `json.dumps`."""
    body = json.dumps(message, separators=(",", ":"), default=default).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def error_message(ident: int | str | None, code: int, reason: str) -> Message:
    """A response that says what was wrong. `ident` is None where nobody can know which request it was."""
    return {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": reason}}


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
