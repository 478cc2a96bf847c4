"""What may lie in a folder in a regular file's place, and a last resort against waiting for it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 20
"""Seconds: far more than anything here takes, and less than a test run has."""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("the-pipe"))
    path.symlink_to("the-pipe")


def link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's name has 108 characters at most
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
    finally:
        os.chdir(here)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


SPECIAL: dict[Callable[[Path], None], str] = {
    pipe: "a named pipe",
    link_to_a_pipe: "a named pipe",
    link_to_zeros: "a device",
    a_socket: "a socket",
    sparse: "too large",
}
"""How each is put at a path, and what is said of it."""


@contextmanager
def impatient() -> Iterator[None]:
    """Raises TimeoutError in whatever waits for ever."""

    def stop(*_: object) -> None:
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
