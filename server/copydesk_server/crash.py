"""What is kept of an error that nobody expected: a file for a report, without anybody's text.

Names of errors, of functions and of modules with their lines, versions and the platform. No messages, which quote source; no
values, no arguments, no paths of the person's own. Knows exceptions and the user's state folder.
"""

from __future__ import annotations

import os
import platform
import time
import traceback
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from platformdirs import user_state_path

from copydesk import __version__

EX_SOFTWARE = 70
"""Of sysexits.h: an internal software error."""
LIBRARIES = ("torch", "transformers", "tokenizers", "safetensors", "llguidance", "numpy", "pygls", "rich")
MOST_FRAMES = 100


def write_report(error: BaseException, command: str, folder: Path | None = None) -> Path | None:
    """The file, which only this user can read; None where none can be written. Raises: never."""
    folder = folder if folder is not None else user_state_path("copydesk") / "crashes"
    path = folder / time.strftime(f"crash-%Y%m%d-%H%M%S-{os.getpid()}.txt")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in report(error, command))
    except OSError:
        return None
    return path


def report(error: BaseException, command: str) -> Iterator[str]:
    """The lines of the file."""
    yield f"copydesk {__version__}, command {command}"
    yield f"Python {platform.python_version()}, {platform.platform()}"
    for library in LIBRARIES:
        try:
            yield f"{library} {metadata.version(library)}"
        except metadata.PackageNotFoundError:
            continue
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield ""
        yield f"{type(cause).__module__}.{type(cause).__qualname__}"
        frames = list(traceback.walk_tb(cause.__traceback__))
        for frame, line in frames[:MOST_FRAMES]:
            module = frame.f_globals.get("__name__")
            yield f"  {module if isinstance(module, str) else '?'}, line {line}, in {frame.f_code.co_name}"
        if len(frames) > MOST_FRAMES:
            yield f"  and {len(frames) - MOST_FRAMES} more"
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
