"""The objects of a git repository, read where they lie: loose, in packs, in the stores it borrows from. Nothing is fetched."""

from __future__ import annotations

import binascii
import os
import stat
import struct
import zlib
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
from dulwich.object_format import SHA1
from dulwich.objects import ObjectID, RawObjectID
from dulwich.pack import PackIndex, load_pack_index

from copydesk_server.errors import RepositoryError
from copydesk_server.headless.packed import LARGEST, read_packed
from copydesk_server.headless.regular import read_regular

MOST_STORES = 16
_DAMAGE = (
    zlib.error, struct.error, AssertionError, ValueError, LookupError, EOFError, RecursionError,
    ApplyDeltaError, FileFormatException, ChecksumMismatch,
)  # fmt: skip
"""What dulwich raises for packs that are not what they should be."""
_TYPES = {1: b"commit", 2: b"tree", 3: b"blob"}


class Objects:
    """All objects of the store at `folder`, `.git/objects` mostly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: bytes, kind: bytes) -> bytes:
        """The object of this name, in hexadecimal digits, and kind (`b"tree"`). Raises RepositoryError, FileError, OSError."""
        try:
            found = next(self._found(name), None)
        except _DAMAGE as error:
            raise RepositoryError("one of its objects is damaged") from error
        if found is None:
            raise RepositoryError(f"its {kind.decode()} {name.decode()[:12]} is not here")
        if found[0] != kind:
            raise RepositoryError(f"{name.decode()[:12]} is no {kind.decode()}")
        return found[1]

    def _found(self, name: bytes) -> Iterator[tuple[bytes, bytes]]:
        digits = name.decode()
        for store in self._stores:
            try:
                yield _loose(read_regular(store / digits[:2] / digits[2:], LARGEST))
            except FileNotFoundError:
                continue
        for path, index in self._packs:
            if ObjectID(name) in index:
                with path.open("rb") as pack:
                    number, data = read_packed(
                        pack, index.object_offset(ObjectID(name)), partial(_place, index)
                    )
                yield _TYPES.get(number, b"tag"), data

    @cached_property
    def _stores(self) -> list[Path]:
        """The store and those it borrows from, directly or not."""
        stores = [self._folder]
        for store in stores:
            try:
                listed = read_regular(store / "info" / "alternates", LARGEST)
            except (FileNotFoundError, NotADirectoryError):
                continue
            lines = [line for line in listed.split(b"\n") if line and not line.startswith(b"#")]
            stores += [other for line in lines if (other := store / os.fsdecode(line)) not in stores]
            if len(stores) > MOST_STORES:
                raise RepositoryError(f"it uses more than {MOST_STORES} alternate object stores")
        return stores

    @cached_property
    def _packs(self) -> list[tuple[Path, PackIndex]]:
        packs = []
        for store in self._stores:
            for index in sorted(store.glob("pack/pack-*.idx")):
                if all(_is_regular(path) for path in (index, index.with_suffix(".pack"))):
                    packs.append((index.with_suffix(".pack"), load_pack_index(str(index), SHA1)))
        return packs

    def close(self) -> None:
        """Let go of the packs."""
        for _, index in self.__dict__.pop("_packs", ()):
            index.close()


def _place(index: PackIndex, name: bytes) -> int:
    return index.object_offset(RawObjectID(name))


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _loose(packed: bytes) -> tuple[bytes, bytes]:
    data = zlib.decompressobj().decompress(packed, LARGEST)
    head, _, body = data.partition(b"\0")
    kind, _, size = head.partition(b" ")
    if not size.isdigit() or int(size) != len(body):
        raise RepositoryError("one of its objects is damaged")
    return kind, body


def tree_entries(data: bytes) -> dict[bytes, tuple[int, bytes]]:
    """A tree's entries: name to mode and object, in hexadecimal digits. Raises RepositoryError."""
    entries: dict[bytes, tuple[int, bytes]] = {}
    at = 0
    while at < len(data):
        space, zero = data.find(b" ", at), data.find(b"\0", at)
        if not at < space < zero or zero + 21 > len(data):
            raise RepositoryError("a tree of it is damaged")
        mode = data[at:space]
        if not mode.isdigit() or len(mode) > 6:
            raise RepositoryError("a tree of it is damaged")
        entries[data[space + 1 : zero]] = int(mode, 8), binascii.hexlify(data[zero + 1 : zero + 21])
        at = zero + 21
    return entries
