"""git's index as data: which files git knows, and which content it has of them."""

from __future__ import annotations

import io
import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from dulwich.index import SerializedIndexEntry, UnsupportedIndexFormat, read_cache_entry, read_index_header

from copydesk_server.errors import RepositoryError
from copydesk_server.headless.regular import read_regular

LARGEST = 1 << 30
_STAGES, _INTENDED = 0x3000, 0x2000
"""Bits of an entry's flags: one side of a conflict; of its extended flags: to be added later, without content as yet."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the index has of one file. blob: in hexadecimal digits; None amid a conflict or before content was added."""

    mode: int
    blob: bytes | None
    size: int
    mtime: tuple[int, int]
    racy: bool

    def matches(self, found: os.stat_result) -> bool:
        """Whether the file is surely the one git saw: of that size and time, and not written in the instant the index was."""
        seconds, nanoseconds = divmod(found.st_mtime_ns, 10**9)
        same = self.size == found.st_size & 0xFFFFFFFF and self.mtime[0] == seconds & 0xFFFFFFFF
        return same and self.mtime[1] in (0, nanoseconds) and not self.racy and stat.S_ISREG(found.st_mode)


def read_index(path: Path) -> dict[bytes, Known]:
    """The files of an index, by their path below the working tree's top. Raises RepositoryError, FileError, OSError."""
    try:
        data = read_regular(path, LARGEST)
        written = path.stat().st_mtime_ns
    except FileNotFoundError:
        return {}
    file = io.BytesIO(data)
    try:
        version, count = read_index_header(file)
        known: dict[bytes, Known] = {}
        name = b""
        for _ in range(count):
            entry = read_cache_entry(file, version, name)
            name = entry.name
            known[name] = _known(entry, written)
    except UnsupportedIndexFormat as error:
        raise RepositoryError(f"its index has the unknown version {error}") from error
    except (AssertionError, struct.error, ValueError, IndexError, EOFError) as error:
        raise RepositoryError("its index is damaged") from error
    _check_extensions(data, file.tell())
    return known


def _known(entry: SerializedIndexEntry, written: int) -> Known:
    mtime = entry.mtime if isinstance(entry.mtime, tuple) else (int(entry.mtime), 0)
    settled = not entry.flags & _STAGES and not entry.extended_flags & _INTENDED
    racy = mtime[0] * 10**9 + mtime[1] >= written
    return Known(entry.mode, entry.sha if settled else None, entry.size, mtime, racy)


def _check_extensions(data: bytes, at: int) -> None:
    """Raises RepositoryError for one that changes what the entries mean: git writes their names in small letters."""
    end = len(data) - 20  # the checksum
    while at + 8 <= end:
        name, (size,) = data[at : at + 4], struct.unpack(">L", data[at + 4 : at + 8])
        if name == b"link":
            raise RepositoryError("its index is split (core.splitIndex)")
        if name == b"sdir":
            raise RepositoryError("its index is sparse (index.sparse)")
        if not name[:1].isupper():
            raise RepositoryError(f"its index has an unknown extension {name!r}")
        at += 8 + size
    if at != end:
        raise RepositoryError("its index is damaged")
