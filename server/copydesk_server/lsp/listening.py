"""Where a server waits for its one client: a TCP port of this machine, or a Unix socket that only its owner can open.

Whoever connects to the port has yet to show the token: `session.py` asks for it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import stat
from pathlib import Path

from copydesk_server.lsp.transport import TransportError

WAITING = 8
"""So many connections may wait to be asked who they are."""


def loopback_address(text: str) -> tuple[str, int]:
    """HOST:PORT as an address of this machine alone. Raises TransportError, with the reason, for any other."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise TransportError(f"{text!r} is not an address; expected HOST:PORT, for example 127.0.0.1:4389")
    if host == "localhost":
        return "127.0.0.1", int(port)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise TransportError(
            f"{host} is refused: the server edits what its client opens, and its token would travel in clear, so it listens "
            "on loopback only (127.0.0.1, ::1 or localhost)"
        )
    return host, int(port)


def listen_tcp(host: str, port: int) -> socket.socket:
    """A socket that waits for clients. Raises TransportError where the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            # Without it a port cannot be had again for a minute. On Windows it would let another process share the port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(WAITING)
    except OSError as error:
        listener.close()
        raise TransportError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    return listener


def listen_unix(path: Path) -> socket.socket:
    """A Unix socket that only this user can connect to. What a server that is gone has left there is replaced.

    Raises TransportError where others could put a socket of theirs in its place, and where the path cannot be had.
    """
    family = getattr(socket, "AF_UNIX", None)
    if family is None:
        raise TransportError("this system has no Unix sockets; --tcp is there instead")
    path = path.absolute()
    _check_folder(path.parent)
    _clear_stale(path, family)
    listener = socket.socket(family, socket.SOCK_STREAM)
    mask = os.umask(0o177)  # from its first moment nobody else may connect
    try:
        listener.bind(str(path))
        os.chmod(path, 0o600)
        listener.listen(WAITING)
    except OSError as error:
        listener.close()
        raise TransportError(f"cannot listen on {path}: {error.strerror or error}") from error
    finally:
        os.umask(mask)
    return listener


def forget(listener: socket.socket) -> None:
    """Nobody can connect any more, and no file is left."""
    name = listener.getsockname() if listener.fileno() >= 0 else None
    listener.close()
    if isinstance(name, str) and name:
        with contextlib.suppress(OSError):
            os.unlink(name)


def _check_folder(folder: Path) -> None:
    try:
        about = folder.stat()
    except OSError as error:
        raise TransportError(f"cannot listen in {folder}: {error.strerror}") from error
    if about.st_uid not in (0, os.geteuid()):
        raise TransportError(f"{folder} is refused: it is another user's, who could put another socket there")
    others = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if others and not about.st_mode & stat.S_ISVTX:
        raise TransportError(
            f"{folder} is refused: others may write in it, and could put another socket there"
        )


def _clear_stale(path: Path, family: int) -> None:
    """A socket that nobody listens on goes. Raises TransportError for one in use, and for what is no socket of ours."""
    try:
        about = path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise TransportError(f"cannot listen on {path}: {error.strerror}") from error
    if not stat.S_ISSOCK(about.st_mode) or about.st_uid != os.geteuid():
        raise TransportError(f"cannot listen on {path}: something else is there")
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise TransportError(f"cannot listen on {path}: {error.strerror}") from error
    raise TransportError(f"cannot listen on {path}: another server does")
