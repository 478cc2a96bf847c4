"""Temporary files beside the files they replace: how they are named, and which of them a killed run has left behind.

Only a regular file of ours by name, of this user, is ever removed. Knows names, owners and processes; nothing of what is written.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

QUIET = 60.0
"""Seconds: a run that lives, perhaps on another machine, has its temporary file for a moment."""
_NAME = re.compile(r"\.copydesk-([0-9]{1,10})-[0-9a-f]{12}\.tmp")


def temporary_name() -> str:
    """A name for a file of this run's own."""
    return f".copydesk-{os.getpid()}-{os.urandom(6).hex()}.tmp"


def discard(path: Path, beside: Path) -> None:
    """Remove what a killed run meant to put in the place of `beside`; nothing of another name or folder, whatever a journal
    says. Raises: never.
    """
    if _NAME.fullmatch(path.name) and path.is_absolute() and path.parent == beside.parent:
        with suppress(OSError, ValueError):
            if _is_ours(path.lstat()):
                path.unlink()


def clear(folders: Iterable[Path]) -> None:
    """Remove what runs that are no more have left in `folders`. Raises: never."""
    for folder in set(folders):
        with suppress(OSError):
            with os.scandir(folder) as entries:
                found = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
            for name in found:
                with suppress(OSError):
                    path = folder / name
                    if _is_stale(name, path.lstat()):
                        path.unlink()


def _is_ours(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and (not hasattr(os, "geteuid") or status.st_uid == os.geteuid())


def _is_stale(name: str, status: os.stat_result) -> bool:
    match = _NAME.fullmatch(name)
    if match is None or not _is_ours(status) or time.time() - status.st_mtime < QUIET:
        return False
    try:
        # A process of that number that began later is another one.
        return psutil.Process(int(match.group(1))).create_time() > status.st_mtime
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, OverflowError):
        return False
