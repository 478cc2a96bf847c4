"""Input that a person names on the command line: a file, `-` for standard input, or a pipe that a shell made (`<(command)`).

A named pipe or a device that merely lies in the folder is refused, as everywhere. Knows names and bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular
from copydesk_server.errors import FileError

MAX_BYTES = 256 << 20
STANDARD_INPUT = "-"
_OF_A_SHELL = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")


def read_input(name: str) -> bytes:
    """All of it. Raises FileError (not a regular file, too large), OSError."""
    if name == STANDARD_INPUT:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    elif name.startswith(_OF_A_SHELL):
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    else:
        try:
            return read_regular(name, MAX_BYTES)
        except FileRefusedError as error:
            raise FileError(f"{name}: {error}") from None
    if len(data) > MAX_BYTES:
        raise FileError(f"{name}: it is larger than {MAX_BYTES >> 20} MB")
    return data
