"""URIs of documents and folders, and the paths they stand for. Nothing is looked up in the file system."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname


def scheme_of(uri: str) -> str:
    """The scheme, in lower case; "" where there is none."""
    scheme, colon, _ = uri.partition(":")
    return scheme.lower() if colon else ""


def path_of(uri: str) -> Path | None:
    """The path of a `file` URI of this machine; None for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file" or (parts.netloc not in ("", "localhost") and os.name != "nt"):
        return None
    # Only the path: LSP's clients escape `?` and `#` in it.
    if os.name == "nt":
        host = f"//{parts.netloc}" if parts.netloc not in ("", "localhost") else ""
        return Path(host + url2pathname(parts.path))
    path = unquote(parts.path)
    return Path(path) if path.startswith("/") and "\0" not in path else None


def name_of(uri: str) -> str:
    """What a person calls the document: its file's name, or what follows the scheme."""
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        path = uri
    return PurePosixPath(path).name or uri


def uri_of(path: Path) -> str:
    """The `file` URI of an absolute path."""
    return "file://" + quote(path.as_posix()) if os.name != "nt" else path.as_uri()
