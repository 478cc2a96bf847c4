"""Reads files that somebody else may have made: regular ones alone, of bounded size. No pipe or device holds the reader up."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from copydesk_server.errors import FileError


def read_regular(path: Path, limit: int) -> bytes:
    """What is in a regular file, or in one that a link leads to.

    Raises FileError for anything else and for more bytes than `limit`, OSError.
    """
    _check(path, path.stat())  # opening a device may do something already
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        _check(path, os.fstat(handle))
        data = file.read(limit + 1)
    if len(data) > limit:
        raise FileError(f"{path.name} is longer than {limit:,} bytes")
    return data


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise FileError(f"{path.name} is no regular file")
