"""Reads files of a repository that somebody else may have made, with the file's name in what is said."""

from __future__ import annotations

from pathlib import Path

from copydesk.errors import FileRefusedError
from copydesk.files import regular_file
from copydesk_server.errors import FileError


def read_regular(path: Path, limit: int) -> bytes:
    """What is in a regular file, or in one that a link leads to.

    Raises FileError for anything else and for more bytes than `limit`, OSError.
    """
    try:
        return regular_file.read_regular(path, limit)
    except FileRefusedError as error:
        raise FileError(f"{path.name} is not read: {error}") from error
