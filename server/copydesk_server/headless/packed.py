"""One object of a git pack, read with bounds: sizes are known from headers before anything of that size is made.

A pack is a repository's own to write. A delta of some bytes may copy gigabytes, and a chain of them as often as it likes; what an
object may cost is bounded here, which libraries leave open. The format is that of gitformat-pack(5).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import BinaryIO

from copydesk_server.errors import RepositoryError

LARGEST = 1 << 28
"""Bytes of one object, and of all deltas that lead to it."""
MOST_MADE = 4 * LARGEST
"""Bytes that a chain of deltas makes on its way."""
DEEPEST = 4095
"""Deltas on each other; git makes no more."""
CHUNK = 1 << 16
_OFFSET, _NAME = 6, 7


def read_packed(pack: BinaryIO, offset: int, find: Callable[[bytes], int]) -> tuple[int, bytes]:
    """The object at `offset` of `pack`: its type's number, and its bytes.

    find: where an object of this name, in 20 bytes, lies; KeyError where it does not. Raises RepositoryError, OSError.
    """
    deltas: list[bytes] = []
    held = 0
    while True:
        kind, size, base, start = _head(pack, offset, find)
        held += size
        if held > LARGEST or len(deltas) > DEEPEST:
            raise RepositoryError("one of its objects is too large")
        data = _inflated(pack, start, size)
        if base is None:
            break
        deltas.append(data)
        offset = base
    made = 0
    for delta in reversed(deltas):
        source, at = _number(delta, 0)
        size, at = _number(delta, at)
        made += size
        if size > LARGEST or made > MOST_MADE:
            raise RepositoryError("one of its objects is too large")
        if source != len(data):
            raise _damaged()
        data = _applied(data, delta, at, size)
    return kind, data


def _head(pack: BinaryIO, offset: int, find: Callable[[bytes], int]) -> tuple[int, int, int | None, int]:
    """An entry's type, the bytes it inflates to, where the base of a delta lies, and where the deflated bytes begin."""
    pack.seek(offset)
    head = pack.read(64)
    try:
        byte, at = head[0], 1
        kind, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 128:
            byte = head[at]
            size |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
        base = None
        if kind == _OFFSET:
            byte = head[at]
            back, at = byte & 127, at + 1
            while byte & 128:
                byte = head[at]
                back, at = (back + 1 << 7) | (byte & 127), at + 1
            base = offset - back
        elif kind == _NAME:
            base, at = find(head[at : at + 20]), at + 20
    except LookupError:
        raise _damaged() from None
    if kind in (0, 5) or (base is not None and (base <= 0 or base == offset)):
        raise _damaged()
    return kind, size, base, offset + at


def _inflated(pack: BinaryIO, start: int, size: int) -> bytes:
    found, inflate = bytearray(), zlib.decompressobj()
    waiting = b""
    pack.seek(start)
    while not inflate.eof and len(found) <= size:
        if not waiting:
            waiting = pack.read(CHUNK)
            if not waiting:
                raise _damaged()
        try:
            found += inflate.decompress(waiting, size + 1 - len(found))
        except zlib.error:
            raise _damaged() from None
        waiting = inflate.unconsumed_tail
    if len(found) != size:
        raise _damaged()
    return bytes(found)


def _number(delta: bytes, at: int) -> tuple[int, int]:
    """A size in a delta's head, and where what follows begins."""
    value = shift = 0
    while True:
        if at >= len(delta) or shift > 63:
            raise _damaged()
        byte = delta[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if not byte & 128:
            return value, at


def _applied(base: bytes, delta: bytes, at: int, size: int) -> bytes:
    made = bytearray()
    source = memoryview(base)
    try:
        while at < len(delta):
            op, at = delta[at], at + 1
            if not op:
                raise _damaged()
            if op & 128:  # copy: four bytes of offset and three of length, as far as they are there
                numbers = []
                for bits in (range(4), range(4, 7)):
                    value = 0
                    for place, bit in enumerate(bits):
                        if op & 1 << bit:
                            value |= delta[at] << 8 * place
                            at += 1
                    numbers.append(value)
                first, length = numbers[0], numbers[1] or 0x10000
                piece: bytes | memoryview = source[first : first + length]
            else:
                length, piece = op, delta[at : at + op]
                at += op
            if len(piece) != length or len(made) + length > size:
                raise _damaged()
            made += piece
    except IndexError:
        raise _damaged() from None
    if len(made) != size:
        raise _damaged()
    return bytes(made)


def _damaged() -> RepositoryError:
    return RepositoryError("one of its objects is damaged")
