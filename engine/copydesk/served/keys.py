"""The key for a server: from the environment or the keyring, never from a command line, a setting or a file of a project."""

from __future__ import annotations

import importlib
import os

from copydesk.errors import ServerError
from copydesk.served.address import ServerAddress

VARIABLE = "COPYDESK_SERVER_KEY"
SERVICE = "copydesk"
"""The keyring's service; the user name in it is HOST:PORT."""


class Key:
    """A secret that does not show itself."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        if not secret.isascii() or not secret.isprintable():
            raise ServerError("the key for the server has characters that no header can carry")
        self._secret = secret

    @property
    def header(self) -> str:
        """The value of the `Authorization` header."""
        return f"Bearer {self._secret}"

    def redacted(self, text: str) -> str:
        """`text` without the key, should a server have repeated it."""
        return text.replace(self._secret, "***")

    def __repr__(self) -> str:
        return "Key(***)"


def find_key(address: ServerAddress) -> Key | None:
    """The key for a server; None where there is none.

    Raises ServerError where it would travel in the clear to another machine.
    """
    secret = os.environ.get(VARIABLE, "").strip() or _from_keyring(address)
    if not secret:
        return None
    if address.scheme == "http" and not address.is_loopback:
        raise ServerError(
            f"there is a key for {address.authority}, but http:// would send it in the clear: use https://, or a tunnel to it"
        )
    return Key(secret)


def _from_keyring(address: ServerAddress) -> str | None:
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    try:
        found: str | None = keyring.get_password(SERVICE, address.authority)
    except Exception as error:  # each of its backends raises errors of its own
        raise ServerError(f"the keyring cannot be read: {type(error).__name__}") from error
    return found
