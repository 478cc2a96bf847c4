"""Which files git could not bring back: those with changes that are not committed, and those it does not know.

Asked file by file, of the repositories the files lie in. git itself is not run: a repository names programs that it would run.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk_server.errors import FileError, RepositoryError

if TYPE_CHECKING:
    from copydesk_server.headless.conversions import Attributes
    from copydesk_server.headless.repository import Repository

LARGEST = 1 << 28
_UNTRACKED = "git does not track it and could not restore it"
_UNSTAGED = "it has unstaged changes"
_STAGED = "it has staged changes"


class Dirt:
    """Remembers what it has read of a repository: for one run."""

    def __init__(self) -> None:
        self._open: dict[Path, tuple[Repository, Attributes] | str] = {}

    def refusal(self, path: Path, *, allow_dirty: bool, allow_staged: bool) -> str | None:
        """Why `path` (resolved) must not be written, or None."""
        top = None if allow_dirty and allow_staged else _top(path.parent)
        if top is None:
            return None
        opened = self._opened(top)
        why, staged = (opened, False) if isinstance(opened, str) else _changes(*opened, path)
        if why is not None and not allow_dirty:
            return f"{why}; --allow-dirty edits it anyway"
        if staged and not allow_staged:
            return f"{_STAGED}; --allow-staged edits it anyway"
        return None

    def _opened(self, top: Path) -> tuple[Repository, Attributes] | str:
        """The repository of a working tree, or why it cannot be read."""
        if top not in self._open:
            # Not before there is one: the library takes a while to import.
            from copydesk_server.headless.conversions import Attributes
            from copydesk_server.headless.repository import Repository

            try:
                repository = Repository(top)
                self._open[top] = repository, Attributes(repository)
            except (RepositoryError, FileError, OSError) as error:
                self._open[top] = _unknown(error)
        return self._open[top]

    def close(self) -> None:
        """Let go of what was opened."""
        for opened in self._open.values():
            if not isinstance(opened, str):
                opened[0].close()
        self._open.clear()


def _changes(repository: Repository, attributes: Attributes, path: Path) -> tuple[str | None, bool]:
    """Why git could not bring the file back as it is in the index, or None; and whether the index differs from the commit."""
    name = path.relative_to(repository.top).as_posix()
    try:
        return _unstaged(repository, attributes, path, os.fsencode(name)), _staged(
            repository, os.fsencode(name)
        )
    except (RepositoryError, FileError, OSError) as error:
        return _unknown(error), False


def _unstaged(repository: Repository, attributes: Attributes, path: Path, name: bytes) -> str | None:
    from copydesk_server.headless.conversions import needs_program, stored
    from copydesk_server.headless.regular import read_regular

    known = repository.index.get(name)
    if known is None:
        return _UNTRACKED
    if known.blob is None:
        return _UNSTAGED
    found = path.stat()
    data = read_regular(path, LARGEST)
    if _blob_name(data) == known.blob:
        return None
    said = attributes.of(name)
    program = needs_program(said)
    if program is not None:
        if known.matches(found):
            return None
        return f"its content goes through `{program}` in .gitattributes, which copydesk does not run: what changed is unknown"
    return None if _blob_name(stored(data, said, repository, known.blob)) == known.blob else _UNSTAGED


def _staged(repository: Repository, name: bytes) -> bool:
    known = repository.index.get(name)
    if known is None:
        return repository.committed(name) is not None
    return known.blob is not None and (known.mode, known.blob) != repository.committed(name)


def _blob_name(data: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()


def _unknown(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) and error.strerror else error
    return f"git's files do not show whether it has changes ({said})"


def _top(folder: Path) -> Path | None:
    """The working tree the folder is in."""
    return next((place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), None)
