"""A text file as it was read, and the way back to bytes: encoding, byte order mark and line breaks stay what they are.

Knows bytes, encodings and what marks a file as binary or generated; nothing of edits, models or how a file is replaced.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import re
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_with_status
from copydesk_server.errors import FileError

MAX_BYTES = 4 << 20
"""No source file a person edits is larger; reading one takes memory that other files need."""
_PYTHON = frozenset({".py", ".pyi", ".pyw"})
# The longer marks first: that of UTF-32 begins with that of UTF-16.
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_GENERATED = re.compile(
    r"@generated\b | \bdo\ not\ (edit|modify)\b | \b(auto-?|automatically\ )generated\b | ^\W*generated\ (by|from|with)\b",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HEAD = 2000
"""Characters at the start in which a file says that it is generated."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file on disk is known by. Equal before and after: nobody has touched it."""

    device: int
    inode: int
    size: int
    modified: int
    mode: int
    links: int

    @classmethod
    def of(cls, status: os.stat_result) -> Identity:
        return cls(
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode, status.st_nlink
        )


@dataclass(frozen=True, slots=True)
class Source:
    """One file as read. path: as the person named it; target: behind all symlinks; root: the folder it may not leave."""

    path: Path
    target: Path
    root: Path
    text: str = field(repr=False)
    encoding: str
    bom: bytes
    identity: Identity
    digest: str

    def encode(self, text: str) -> bytes:
        """`text` as bytes of this file. Raises FileError where the file's encoding cannot hold it."""
        try:
            data = self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            char = text[error.start : error.end]
            raise FileError(f"{self.encoding} has no {char!r}") from None
        if _encoding(self.target, data) != (self.encoding, self.bom):
            raise FileError("the edit would change the file's encoding")
        return data

    @property
    def generated(self) -> bool:
        """Whether it says of itself that a program wrote it."""
        return _GENERATED.search(self.text, 0, _HEAD) is not None


def digest(data: bytes) -> str:
    """What a file's bytes are known by."""
    return hashlib.sha256(data).hexdigest()


def read(path: Path, root: Path) -> Source:
    """Raises FileError with the reason, in words for one line, for whatever is no text to edit here."""
    try:
        target = path.resolve(strict=True)
        data, status = read_bytes(target)
    except (OSError, RuntimeError) as error:
        # RuntimeError: symlinks in a circle (Python 3.11 and 3.12).
        raise FileError(_words(error)) from None
    wide = _wide_encoding(data)
    if wide is not None:
        raise FileError(f"{wide}, which neither Python nor ruff reads: convert it to UTF-8")
    if b"\0" in data:
        raise FileError("binary: it holds NUL bytes")
    encoding, bom = _encoding(target, data)
    try:
        text = data[len(bom) :].decode(encoding)
        whole = text.encode(encoding)
    except (UnicodeError, LookupError):
        raise FileError(f"not text in {encoding}") from None
    if bom + whole != data:
        raise FileError(f"{encoding} does not bring its bytes back as they are")
    return Source(path, target, root, text, encoding, bom, Identity.of(status), digest(data))


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32, by its byte order mark, or UTF-16 by every other byte of the beginning being NUL."""
    for mark, name in _WIDE_MARKS.items():
        if data.startswith(mark):
            return name
    head = data[:_HEAD]
    halves = head[::2], head[1::2]
    if len(head) >= 4 and any(set(one) == {0} and 0 not in other for one, other in (halves, halves[::-1])):
        return "UTF-16"
    return None


def read_bytes(target: Path) -> tuple[bytes, os.stat_result]:
    """A regular file's bytes and what it was when they were read. Raises FileError, OSError."""
    try:
        return read_with_status(target, MAX_BYTES, links=False)
    except FileRefusedError as error:
        raise FileError(str(error)) from None


def _encoding(target: Path, data: bytes) -> tuple[str, bytes]:
    """The encoding (PEP 263 for Python, UTF-8 elsewhere) and the byte order mark. Raises FileError."""
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if target.suffix.lower() not in _PYTHON:
        return "utf-8", bom
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise FileError(str(error.msg)) from None
    return ("utf-8" if name == "utf-8-sig" else name), bom


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "symlinks in a circle"
