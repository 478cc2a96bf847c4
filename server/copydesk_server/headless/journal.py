"""The journal of a run that writes: enough to go on from wherever it was killed, and to leave nothing behind.

One line of JSON per step, on disk before the step is taken: `intent` (this file will have these bytes, by way of that temporary
file), then `done`. A file whose bytes are those of its intent was written, whether or not anybody lived to say so: it is
not edited twice. The journal is the user's alone (mode 0600), lies in their state folder, and goes when the run is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import check_regular, read_regular
from copydesk_server.errors import JournalError
from copydesk_server.headless.source import digest
from copydesk_server.headless.temporary import discard

try:
    import fcntl
except ImportError:  # Windows: two runs of one command are not kept apart
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 1 << 30


class Journal:
    """The journal of one command line in one working directory."""

    def __init__(self, handle: int, path: Path, done: Mapping[str, str]) -> None:
        self._handle = handle
        self.path = path
        self._done = dict(done)

    @classmethod
    def open(cls, command: Mapping[str, Any], *, resume: bool, folder: Path | None = None) -> Journal:
        """resume: continue an interrupted run of the same command; otherwise begin anew.

        Raises JournalError: nothing to resume, the same command running, no journal to be kept.
        """
        folder = folder if folder is not None else user_state_path("copydesk") / "runs"
        key = hashlib.sha256(json.dumps(command, sort_keys=True).encode()).hexdigest()[:32]
        path = folder / f"{key}.jsonl"
        if resume and not path.is_file():
            raise JournalError("nothing to resume: no run of this command was interrupted here")
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileNotFoundError):
                check_regular(path, MAX_BYTES, links=False)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            handle = os.open(path, flags, 0o600)
        except (OSError, FileRefusedError) as error:
            raise JournalError(f"no journal can be kept at {path}: {_words(error)}") from None
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            done = _replay(path)
            clear_others(folder, path)
            if not resume:
                os.ftruncate(handle, 0)
                done = {}
        except BlockingIOError:
            os.close(handle)
            raise JournalError("the same command is running already") from None
        except (OSError, FileRefusedError) as error:
            os.close(handle)
            raise JournalError(f"no journal can be kept at {path}: {_words(error)}") from None
        return cls(handle, path, done)

    def is_done(self, path: Path, now: str) -> bool:
        """Whether an earlier part of the run left the file as it is now, by its digest."""
        return self._done.get(str(path)) == now

    def intend(self, path: Path, temporary: Path, data: bytes) -> None:
        """`path` is about to become `data`. Raises JournalError where that cannot be kept: then it must not."""
        self._note({"intent": str(path), "temporary": str(temporary), "digest": digest(data)})

    def wrote(self, path: Path, data: bytes) -> None:
        """`path` is `data` now."""
        self._note({"done": str(path), "digest": digest(data)})

    def finish(self, path: Path, now: str) -> None:
        """`path` needs nothing more: it stays as it is."""
        self._note({"done": str(path), "digest": now})

    def take_back(self, path: Path) -> None:
        """What was intended for `path` did not come about."""
        self._note({"done": str(path), "digest": ""})

    def _note(self, entry: dict[str, str]) -> None:
        try:
            line = f"\n{json.dumps(entry)}\n".encode()  # apart from a line that a killed run cut short
            written = os.write(self._handle, line)
            if written < len(line):
                raise OSError(28, os.strerror(28))
            os.fsync(self._handle)
        except OSError as error:
            raise JournalError(f"the journal cannot be kept: {error.strerror}") from None

    def close(self, *, complete: bool) -> None:
        """complete: nothing is left to resume."""
        if complete:
            self.path.unlink(missing_ok=True)
        os.close(self._handle)


def _words(error: OSError | FileRefusedError) -> str:
    return str(error.strerror) if isinstance(error, OSError) else str(error)


def clear_others(folder: Path, own: Path) -> None:
    """Remove the temporary files of other commands' runs that were killed; their journals stay, to be resumed. Raises: never."""
    for path in sorted(folder.glob("*.jsonl")):
        if path == own or fcntl is None:
            continue
        with suppress(OSError, FileRefusedError):
            check_regular(path, MAX_BYTES, links=False)
            handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a run that lives holds it
                _replay(path)
            finally:
                os.close(handle)


def _replay(path: Path) -> dict[str, str]:
    """What is done, by file; temporary files left behind are removed. A line cut short by the end of the run says nothing."""
    done: dict[str, str] = {}
    for line in read_regular(path, MAX_BYTES, links=False).split(b"\n"):
        try:
            entry = json.loads(line)
            name = str(entry.get("intent") or entry["done"])
            done[name] = str(entry["digest"])
            if "temporary" in entry:
                discard(Path(entry["temporary"]), Path(name))
        except (ValueError, KeyError, AttributeError, TypeError):
            continue
    return done
