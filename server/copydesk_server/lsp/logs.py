"""Where the log goes, and what may be in it: no text of a document, an instruction or a diagnostic above debug level.

Exceptions carry such text in their words, and pygls logs whole messages. So exceptions are logged as their type and place, and
pygls is silent, unless the level is debug.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from types import TracebackType
from typing import TypeAlias

from copydesk.errors import CopydeskError

ROOTS = ("copydesk", "copydesk_server")
FOREIGN = ("pygls", "asyncio", "watchdog", "concurrent")
_ExcInfo: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)

FORMAT = "%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"


class LogFileError(CopydeskError):
    """A log file that cannot be written, or should not be."""


class DiscreetFormatter(logging.Formatter):
    """Writes an exception as its type and the places it went through; with its words only where debug is logged."""

    def __init__(self) -> None:
        super().__init__(FORMAT)
        self.words = False

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802
        if self.words or ei[0] is None:
            return super().formatException(ei)
        lines = ["Traceback (most recent call last):"]
        for frame in traceback.extract_tb(ei[2]):
            lines.append(f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}')
        return "\n".join([*lines, ei[0].__name__])


class Log:
    """The log of this process."""

    def __init__(self, *, file: str | None = None, quiet: bool = False) -> None:
        """Raises LogFileError."""
        self.file = file
        self._handlers: list[logging.Handler] = []
        if not quiet:
            self._handlers.append(logging.StreamHandler(sys.stderr))
        if file is not None:
            self._handlers.append(_private_file(file))
        self._formatter = DiscreetFormatter()
        for handler in self._handlers:
            handler.setFormatter(self._formatter)
        for name in (*ROOTS, *FOREIGN):
            logger = logging.getLogger(name)
            logger.handlers[:] = self._handlers
            logger.propagate = False
        self.set_level("warning")

    def set_level(self, level: str) -> None:
        """`error`, `warning`, `info` or `debug`."""
        value = logging.getLevelNamesMapping()[level.upper()]
        self._formatter.words = value <= logging.DEBUG
        for name in ROOTS:
            logging.getLogger(name).setLevel(value)
        for name in FOREIGN:
            # They log whole messages at every level.
            logging.getLogger(name).setLevel(value if self._formatter.words else logging.CRITICAL + 1)

    def close(self) -> None:
        """Let go of the file, and of Python's loggers. Does nothing the second time."""
        for name in (*ROOTS, *FOREIGN):
            logger = logging.getLogger(name)
            if logger.handlers == self._handlers:
                logger.handlers[:] = []
                logger.propagate = True
                logger.setLevel(logging.NOTSET)
        for handler in self._handlers:
            handler.close()


def _private_file(file: str) -> logging.Handler:
    """Only its owner may read it, whatever it was before; a link is not followed to somebody else's file."""
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(file, flags, 0o600)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
    except OSError as error:
        raise LogFileError(f"cannot log to {file}: {error.strerror}") from error
    return logging.StreamHandler(os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace"))
