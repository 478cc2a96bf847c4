"""Replacing a file, whole or not at all: at any moment the name stands for the old bytes or the new ones.

A temporary file in the same directory, fsync, rename, fsync of the directory. What was read must still be what is there,
asked again right before the rename; a symlink's target is replaced only inside its root; hard links are left alone, because a
rename would part them. Knows bytes and files; nothing of text or edits.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from copydesk_server.errors import FileError
from copydesk_server.headless.source import Identity, Source, digest, read_bytes

_DIRECTORIES = os.rename in os.supports_dir_fd and os.open in os.supports_dir_fd


def refusal(source: Source) -> str | None:
    """Why the file must not be replaced, as far as can be said before there is anything to write."""
    if not source.target.is_relative_to(source.root):
        return f"a symlink out of {source.root}"
    if source.identity.links > 1:
        return "it has hard links, which replacing it would break"
    if source.target.exists() and not os.access(source.target, os.W_OK):
        return "it is read-only"
    return None


def replace(source: Source, data: bytes, temporary: str) -> None:
    """Put `data` in the place of what was read. temporary: the name to use in the file's own directory.

    Raises FileError where the file must not be replaced or is not what was read any more, OSError where writing fails; the
    file is then as it was, and the temporary one is gone.
    """
    why = refusal(source)
    if why is not None:
        raise FileError(why)
    target = source.target
    with _directory(target.parent) as folder:
        place = _Place(target.parent, folder)
        handle = place.create(temporary)
        try:
            try:
                _write_all(handle, data)
                _dress(handle, source, target)
                os.fsync(handle)
            finally:
                os.close(handle)
            _unchanged(source, place)
            place.rename(temporary, target.name)
        except BaseException:
            with suppress(OSError):
                place.remove(temporary)
            raise
        if folder is not None:
            with suppress(OSError):  # some file systems cannot; the rename stands all the same
                os.fsync(folder)


class _Place:
    """Names in one directory, held open where the system can, so that nobody swaps it for another meanwhile."""

    def __init__(self, parent: Path, folder: int | None) -> None:
        self._parent = parent
        self._folder = folder

    def _named(self, name: str) -> str:
        return name if self._folder is not None else str(self._parent / name)

    def create(self, name: str) -> int:
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        return os.open(self._named(name), flags, 0o600, dir_fd=self._folder)

    def rename(self, old: str, new: str) -> None:
        os.replace(self._named(old), self._named(new), src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def remove(self, name: str) -> None:
        os.unlink(self._named(name), dir_fd=self._folder)

    def status(self, name: str) -> os.stat_result:
        return os.stat(self._named(name), dir_fd=self._folder, follow_symlinks=False)

    def is_still_there(self) -> bool:
        """Whether the directory's path still leads to it."""
        if self._folder is None:
            return True
        return os.path.samestat(os.fstat(self._folder), os.stat(self._parent))


@contextmanager
def _directory(parent: Path) -> Iterator[int | None]:
    if not _DIRECTORIES:
        yield None
        return
    folder = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder
    finally:
        os.close(folder)


def _unchanged(source: Source, place: _Place) -> None:
    """Raises FileError where what is there is not what was read."""
    changed = "it changed after it was read"
    try:
        if source.path.resolve(strict=True) != source.target or not place.is_still_there():
            raise FileError("its symlink changed after it was read")
        data, status = read_bytes(source.target)
        if digest(data) != source.digest or Identity.of(status) != source.identity:
            raise FileError(changed)
        if Identity.of(place.status(source.target.name)) != source.identity:
            raise FileError(changed)
    except FileNotFoundError:
        raise FileError("it is gone") from None
    except OSError as error:
        raise FileError(f"{changed}: {error.strerror}") from None


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _dress(handle: int, source: Source, target: Path) -> None:
    """The old file's owner, mode and extended attributes, as far as this user may give them."""
    if hasattr(os, "fchmod"):
        with suppress(OSError):
            status = os.stat(target, follow_symlinks=False)
            os.fchown(handle, status.st_uid, status.st_gid)
        os.fchmod(handle, stat.S_IMODE(source.identity.mode))
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(target):
                os.setxattr(handle, name, os.getxattr(target, name))
