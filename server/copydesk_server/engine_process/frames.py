"""Messages on a pair of byte streams: four bytes of length, the most significant first, and then so many bytes of JSON.

For a program at the other end that need not be what it says: a frame has a limit, becomes plain values only, and is checked.
"""

from __future__ import annotations

import struct
from typing import Protocol

from copydesk_server.engine_process.messages import Message, decode, encode
from copydesk_server.errors import EngineProtocolError

TO_ENGINE = 1 << 29
"""Bytes of a frame that an engine reads: the largest document there can be, every character of it escaped."""
TO_SERVER = 1 << 24
"""Bytes of a frame that the server reads: far more than an edit of the lines of a page."""
PIECE = 1 << 16
"""Bytes that are read at a time: memory is taken for what comes, not for what a length says."""
LENGTH = struct.Struct(">I")


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes | None:
        """At most so many bytes; none at its end."""


def frame_of(message: Message) -> bytes:
    """The bytes of a message. Raises ValueError for what cannot be written."""
    body = encode(message)
    if len(body) > TO_ENGINE:
        raise ValueError(f"a message of {len(body):,} bytes")
    return LENGTH.pack(len(body)) + body


def read_frame(stream: Readable, limit: int) -> bytes:
    """The body of the next frame. Raises EOFError, EngineProtocolError."""
    (size,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    if size > limit:
        raise EngineProtocolError(f"a frame of {size:,} bytes, where at most {limit:,} are read")
    return _exactly(stream, size)


def message_of(body: bytes) -> Message:
    """The object in a frame, with a `kind`; else as it is. Raises EngineProtocolError."""
    try:
        message = decode(body)
    except (ValueError, RecursionError):
        raise EngineProtocolError("a frame that is not JSON") from None
    if type(message) is not dict or not isinstance(message.get("kind"), str):
        raise EngineProtocolError("a frame that is no message")
    return message


def _exactly(stream: Readable, size: int) -> bytes:
    got = bytearray()
    while len(got) < size:
        piece = stream.read(min(size - len(got), PIECE))
        if not piece:
            raise EOFError
        got += piece
    return bytes(got)
