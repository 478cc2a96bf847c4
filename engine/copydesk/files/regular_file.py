"""Reading files that others put there: regular files only, without blocking, and never more than a limit.

A name in an opened folder or a model directory may be a named pipe (opening it waits for a writer for ever), a link to a device
(`/dev/zero` never ends; opening some devices has effects) or a sparse file of terabytes. Every file that copydesk did not create
itself is read through this module.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from copydesk.errors import FileRefusedError

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # opening a named pipe waits for a writer otherwise
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_CHUNK = 1 << 20
_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_regular(path: str | os.PathLike[str], limit: int, *, links: bool = True) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. links: follow a symbolic link, to a regular file again.

    Raises FileRefusedError (not a regular file, too large, or changed meanwhile; the message leaves out the path), OSError.
    """
    return read_with_status(path, limit, links=links)[0]


def read_with_status(
    path: str | os.PathLike[str], limit: int, *, links: bool = True
) -> tuple[bytes, os.stat_result]:
    """As `read_regular`, with the file's status at the time it was read."""
    check_regular(path, limit, links=links)  # before opening: opening a device may have effects
    handle = os.open(path, _FLAGS | (0 if links else _NO_LINKS))
    try:
        status = os.fstat(handle)
        _check(status, limit)  # again: the name may belong to another file by now
        parts: list[bytes] = []
        left = status.st_size + 1
        while left > 0 and (part := os.read(handle, min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
        if left != 1:  # files of /proc report no size and may hold any amount
            raise FileRefusedError("it was changed while being read")
        return b"".join(parts), status
    finally:
        os.close(handle)


def check_regular(path: str | os.PathLike[str], limit: int, *, links: bool = True) -> os.stat_result:
    """The file's status, without opening it. Raises what `read_regular` raises."""
    status = os.stat(path, follow_symlinks=links)
    _check(status, limit)
    return status


def read_regular_text(path: str | os.PathLike[str], limit: int, *, links: bool = True) -> str:
    """As `read_regular`, decoded as UTF-8. Also raises UnicodeDecodeError (a ValueError)."""
    return read_regular(path, limit, links=links).decode("utf-8")


def is_plain_name(name: object) -> bool:
    """Whether `name` names a directory entry and cannot lead out of the directory: no separator, `..` or control character."""
    return (
        isinstance(name, str)
        and name not in ("", ".", "..")
        and not any(char in '/\\:*?"<>|' or not char.isprintable() for char in name)
        and Path(name).name == name
        and len(name) <= 255
    )


def _check(status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((words for is_kind, words in _KINDS if is_kind(status.st_mode)), "something else")
        raise FileRefusedError(f"it is {kind}, not a regular file")
    if status.st_size > limit:
        size, most = _size(status.st_size), _size(limit)
        if size == most:
            size, most = f"{status.st_size:,} bytes", f"{limit:,}"
        raise FileRefusedError(f"it is too large: {size}, at most {most} are read")


def _size(count: int) -> str:
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if count >= unit:
            return f"{count / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{count} bytes"
