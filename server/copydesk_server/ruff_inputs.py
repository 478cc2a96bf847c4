"""What ruff would read of a folder, looked at before ruff is run.

ruff waits for a named pipe for ever, and reads `/dev/zero` until memory ends, whether it lies there as a source file, as
configuration or as `.gitignore`. Knows the names ruff reads by itself; opens nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import check_regular
from copydesk_server.errors import RuffError

CONFIGURATION = ("ruff.toml", ".ruff.toml", "pyproject.toml")
IGNORE = (".gitignore", ".ignore", ".git/info/exclude")
MAX_BYTES = 4 << 20
"""Of a file with settings or patterns."""
MAX_SOURCE_BYTES = 64 << 20
"""Of a source file: ruff takes some twenty times as much memory, and nobody writes such a file by hand."""
_SOURCES = (".py", ".pyi", ".pyw", ".ipynb")
_EXCLUDED = frozenset({".git", ".hg", ".svn", ".tox", ".nox", ".venv", "node_modules", "site-packages"})
"""Some of what ruff leaves out by default, where many files lie."""


def check_configuration(folder: Path) -> None:
    """Look at the configuration that counts for a text in `folder`. Raises RuffError."""
    for place in (folder, *folder.parents):
        _check_names(place, CONFIGURATION)


def check_tree(paths: Sequence[Path]) -> None:
    """Look at all that ruff would read to check `paths`, files and folders. Raises RuffError."""
    above: set[Path] = set()
    for path in paths:
        path = path.absolute()
        above.update(path.parents)
        if path.is_dir():
            _check_folder(path)
        else:
            _check(path, MAX_SOURCE_BYTES)
    for place in above:
        _check_names(place, CONFIGURATION + IGNORE)


def _check_folder(folder: Path) -> None:
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        _check_names(place, CONFIGURATION + IGNORE)
        for entry in _entries(place):
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _EXCLUDED:
                    waiting.append(Path(entry.path))
            elif entry.name.endswith(_SOURCES):
                _check(Path(entry.path), MAX_SOURCE_BYTES)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            yield from found
    except OSError:
        return  # ruff will say so


def _check_names(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        _check(folder / name, MAX_BYTES)


def _check(path: Path, limit: int) -> None:
    try:
        if not path.is_dir():
            check_regular(path, limit)
    except OSError:
        return  # not there, or not to be read by ruff either
    except FileRefusedError as error:
        raise RuffError(f"ruff was not run: {path} cannot be read: {error}") from None
