"""Parsed modules of Python itself, kept between renames: jedi takes seconds to read them.

They lie in the user's own cache folder, as pickles, for nobody else to write. A process works on links to them in a folder of
its own, and gives back only what it has parsed of the installation: nothing of a project is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import parso.cache


class PythonCache:
    """kept: the user's folder, None for none. own: this process's."""

    def __init__(self, kept: Path | None, own: Path) -> None:
        self._kept, self._own = kept, own

    def open(self) -> Path:
        """The folder to work with, filled with what is kept."""
        self._own.mkdir(mode=0o700)
        with contextlib.suppress(OSError):  # without it, it takes longer
            for folder in _folders(self._kept):
                (self._own / folder.name).mkdir()
                for file in folder.iterdir():
                    if file.suffix == ".pkl" and not file.is_symlink():
                        os.link(file, self._own / folder.name / file.name)
        return self._own

    def keep(self, project: Path) -> None:
        """Give back what was parsed, but for modules below `project`."""
        if self._kept is None:
            return
        paths = [
            Path(path) for known in parso.cache.parser_cache.values() for path in known if path is not None
        ]
        outside = {_hashed(path) for path in paths if not path.is_relative_to(project)}
        with contextlib.suppress(OSError):
            self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in _folders(self._own):
                (self._kept / folder.name).mkdir(mode=0o700, exist_ok=True)
                for file in folder.iterdir():
                    there = self._kept / folder.name / file.name
                    if file.stem.rpartition("-")[2] in outside and not there.exists():
                        os.replace(file, there)


def _folders(cache: Path | None) -> list[Path]:
    return (
        [folder for folder in cache.iterdir() if folder.is_dir()]
        if cache is not None and cache.is_dir()
        else []
    )


def _hashed(path: Path) -> str:
    return hashlib.sha256(str(path).encode("utf-8")).hexdigest()
