"""LSP's base protocol: bytes to messages and back, and JSON-RPC's errors.

Strict on purpose: what does not look like LSP is not answered. A web page that posts to the port of a TCP server must not get
one word in.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeAlias

Message: TypeAlias = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_FAILED = -32803

MAX_HEADER = 1024
"""A header line as long as this is none of ours."""
MAX_BODY = 1 << 26
"""Bytes of one message. A longer one is read past, and `TOO_LONG` stands for its body: the connection goes on."""
TOO_LONG = b"a message that was too long"
"""Told from a body that a client sent by its identity; like that, it is not JSON."""
MAX_SKIPPED = 1 << 32
"""A Content-Length beyond this is no length of a message."""
MAX_ID = 1 << 53
"""Ids are numbers below this, which every client's numbers can hold, or strings of at most `MAX_ID_LENGTH` characters."""
MAX_ID_LENGTH = 1024

_HEADER = re.compile(rb"([A-Za-z-]+): ?([^\r\n]*)")
_CHARSET = re.compile(r"""charset="?([A-Za-z0-9-]+)"?""")


class FramingError(Exception):
    """Bytes that are not LSP's base protocol. What follows them cannot be read: the connection is over."""


class MessageError(Exception):
    """A frame whose content cannot be handled as a message. The next frame may be fine.

    code:   of the error it is answered with. ident: the id that answer has, None where nobody can know it.
    silent: it is not answered: notifications and responses never are.
    message: what was read of it, where it is an object.
    """

    def __init__(
        self,
        code: int,
        reason: str,
        ident: int | str | None = None,
        *,
        silent: bool = False,
        message: Message | None = None,
    ) -> None:
        super().__init__(reason)
        self.code = code
        self.ident = ident
        self.silent = silent
        self.message = message

    def answer(self) -> Message | None:
        """The response it is answered with, if any."""
        return None if self.silent else error_message(self.ident, self.code, str(self))


class Frames:
    """Cuts a stream of bytes into the bodies of messages. Raises FramingError, and is of no use afterwards.

    limit: bytes of the longest body that is kept; it may change at any time.
    """

    def __init__(self, limit: int = MAX_BODY) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._length: int | None = None  # of the body whose header is being read
        self._body = False  # the header is complete
        self._skip = 0  # bytes of a body that is too long

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that `data` completes. What is wrong raises as soon as its first line is there, or cannot end any more."""
        if self._skip:
            passed = min(self._skip, len(data))
            self._skip -= passed
            data = data[passed:]
            if self._skip:
                return
            yield TOO_LONG
        self._buffer += data
        while True:
            if self._body:
                assert self._length is not None
                if self._length > self.limit:
                    passed = min(self._length, len(self._buffer))
                    del self._buffer[:passed]
                    self._skip = self._length - passed
                    self._body, self._length = False, None
                    if self._skip:
                        return
                    yield TOO_LONG
                    continue
                if len(self._buffer) < self._length:
                    return
                with memoryview(self._buffer) as view:
                    body = bytes(view[: self._length])
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
        return bool(self._buffer or self._skip) or self._length is not None

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
            if self._length is not None or not re.fullmatch("[0-9]{1,12}", value) or int(value) > MAX_SKIPPED:
                raise FramingError("a Content-Length that cannot be")
            self._length = int(value)
        elif name == b"content-type":
            charset = _CHARSET.search(value)
            if charset is not None and charset[1].lower() not in ("utf-8", "utf8"):
                raise FramingError("a character set other than UTF-8")
        else:
            raise FramingError("a header that is not the Language Server Protocol's")


def decode(body: bytes) -> Message:
    """The message in `body`: a request, a notification or a response, as JSON-RPC has them. Raises MessageError."""
    try:
        message = _DECODER.decode(body.decode("utf-8"))
    except (ValueError, RecursionError):
        # Never the parser's own words: they may quote the document.
        reason = f"too long (at most {MAX_BODY >> 20} MiB)" if body is TOO_LONG else "not JSON in UTF-8"
        raise MessageError(PARSE_ERROR, f"the message is {reason}") from None
    if not isinstance(message, dict):
        raise MessageError(INVALID_REQUEST, "a message is one JSON object")
    ident, asked = message.get("id"), "method" in message
    known = ident if _is_id(ident) else None

    def refuse(reason: str, code: int = INVALID_REQUEST, *, silent: bool = False) -> NoReturn:
        raise MessageError(code, reason, known, silent=silent, message=message)

    if not asked and ("result" in message or "error" in message):
        if message.get("jsonrpc") != "2.0" or ("result" in message) == ("error" in message) or known is None:
            # Two sides that answer each other's responses would never end.
            refuse("a response that answers nothing", silent=True)
        return message
    if message.get("jsonrpc") != "2.0":
        refuse('a message says "jsonrpc": "2.0"')
    if not asked:
        refuse("neither a request, a notification nor a response")
    if not isinstance(message["method"], str):
        refuse("a method is a string")
    if "id" in message and known is None:
        refuse("a request's id is a number or a string")
    if "result" in message or "error" in message:
        refuse("both a request and a response")
    if not isinstance(message.get("params"), _PARAMS):
        refuse("params are an object or a list", INVALID_PARAMS, silent="id" not in message)
    return message


def encode(message: Message, default: Any = None) -> bytes:
    """One frame. ASCII, so that lone surrogates travel too. `default`: as in `json.dumps`."""
    body = json.dumps(message, separators=(",", ":"), default=default).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def error_message(ident: int | str | None, code: int, reason: str) -> Message:
    """A response that says what was wrong. `ident` is None where nobody can know which request it was."""
    return {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": reason}}


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_ID_LENGTH
    return isinstance(value, int) and not isinstance(value, bool) and -MAX_ID < value < MAX_ID


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number beyond all numbers")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_number)
_PARAMS = (dict, list, type(None))
