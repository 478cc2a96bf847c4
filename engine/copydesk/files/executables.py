"""Finding the file to run for a program's name: an absolute path, never inside a folder that the user has opened.

Every program that copydesk starts is looked up here, once, and started by the path that is returned.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_ENDING = ".exe" if os.name == "nt" else ""  # a .bat or .cmd would be read by a shell


def find_executable(
    *names: str, first: Iterable[str | Path] = (), opened: Iterable[Path] = ()
) -> Path | None:
    """The first executable file with one of these names, in the folders of `first`, then in those of PATH.

    Relative and empty entries of PATH are ignored, and so is anything inside the working directory or a folder of `opened`,
    or linked from there. The folders of `first` belong to the installation and are searched wherever they are.
    """
    opened = tuple(opened)
    own, workspaces = [Path(folder) for folder in first], _workspaces(opened)
    others = search_path(os.environ.get("PATH", ""), opened)
    for name in names:
        for folder in [*own, *others]:
            program = folder / (name + _ENDING)
            if program.is_file() and os.access(program, os.X_OK):
                if folder in own or not _within(program, workspaces):
                    return program
    return None


def search_path(entries: str, opened: Iterable[Path] = ()) -> list[Path]:
    """The folders of a PATH in which programs may be looked for; see `find_executable`."""
    workspaces = _workspaces(opened)
    folders = [Path(entry) for entry in entries.split(os.pathsep) if entry]
    return [folder for folder in folders if folder.is_absolute() and not _within(folder, workspaces)]


def _workspaces(opened: Iterable[Path]) -> list[Path]:
    """The folders from which nothing is run.

    The home folder and the root of a file system are not among them, though editors are often started there: they contain all
    of PATH, and whoever can write there needs no planted program.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))
    try:
        places = [Path.cwd(), *opened]
    except OSError:  # the working directory was removed
        places = list(opened)
    folders = [Path(os.path.realpath(folder)) for folder in places]
    return [folder for folder in folders if folder not in (home, Path(folder.anchor))]


def _within(path: Path, folders: Iterable[Path]) -> bool:
    real = Path(os.path.realpath(path))
    return any(path.is_relative_to(folder) or real.is_relative_to(folder) for folder in folders)
