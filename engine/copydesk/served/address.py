"""Where a served model is, and what serves it: `llamacpp:http://127.0.0.1:8080`."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args
from urllib.parse import urlsplit

from copydesk.errors import ServerError

ServerKind: TypeAlias = Literal["llamacpp", "vllm", "sglang", "openai"]
KINDS: tuple[ServerKind, ...] = get_args(ServerKind)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A URL in parts. path: what comes before every endpoint's own path, without a slash at its end."""

    kind: ServerKind
    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> ServerAddress:
        """Raises ServerError for what is no such address, in words that repeat no user or password in it."""
        kind, _, url = text.partition(":")
        if kind not in KINDS:
            raise ServerError(f"a served model is one of {', '.join(f'{kind}:URL' for kind in KINDS)}")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.scheme not in _PORTS or not host:
            raise ServerError(f"invalid address of a served model; expected {kind}:http://HOST:PORT")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ServerError(
                "the address of a served model must have no user, password or query in it; a key belongs into the environment "
                "or the keyring"
            )
        scheme = cast(Literal["http", "https"], parts.scheme)
        path = parts.path.rstrip("/").removesuffix("/v1")
        return cls(kind, scheme, host, port or _PORTS[scheme], path)

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def authority(self) -> str:
        """Host and port, as a `Host` header and the keyring have them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.kind}:{self.scheme}://{self.authority}{self.path}"


def is_served(model: str | Path | None) -> bool:
    """Whether a model's name is the address of a served one."""
    return isinstance(model, str) and model.partition(":")[0] in KINDS and "://" in model
