"""Which files a command is about: paths, folders and globs, less what `.gitignore` and the person leave out.

A file that is named is taken, ignored or not; a folder gives the files of languages the model knows. Looks at names and
`.gitignore` alone: what a file holds is `source.py`'s business.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular
from copydesk.text.languages import DATA_LANGUAGES, LANGUAGES
from copydesk_server.errors import FileError
from copydesk_server.printable import shown_name

MAX_IGNORE_BYTES = 1 << 20
_NEVER = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "__pycache__",
        ".venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """A file to edit, and the folder a symlink's target may not leave. named: by itself, not by a folder or glob."""

    path: Path
    root: Path
    named: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """include: globs of what folders give, instead of known languages. exclude: globs of what is never taken."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


_CODE = frozenset(LANGUAGES.values()) - DATA_LANGUAGES
"""Languages whose files a folder gives without being asked for them."""


def language_of(path: Path) -> str:
    """The language a file's name tells; empty for none we know."""
    return LANGUAGES.get(path.suffix.lower(), "")


def is_notebook(path: Path) -> bool:
    """Whether its name says that it is a Jupyter notebook."""
    return path.suffix.lower() == ".ipynb"


def discover(names: Sequence[str], filters: Filters) -> list[Place]:
    """The files, each once, folder by folder in the order of their names. Raises FileError for a name that leads nowhere."""
    include = GitIgnoreSpec.from_lines(filters.include)
    exclude = GitIgnoreSpec.from_lines(filters.exclude)
    places: dict[Path, Place] = {}
    for name in names:
        path = Path(name)
        itself = os.path.lexists(path)
        if itself:
            named = [path]
        else:
            named = [Path(found) for found in sorted(glob.glob(name, recursive=True))]
            if not named:
                raise FileError(f"{shown_name(name)}: no such file")
        for given in named:
            if given.is_dir():
                found = _walk(given, include if filters.include else None, exclude, filters.languages)
            else:
                found = iter(
                    []
                    if exclude.match_file(os.path.relpath(given))
                    else [Place(given, root_of(given), itself)]
                )
            for place in found:
                places.setdefault(place.path.absolute(), place)
    return list(places.values())


def root_of(path: Path) -> Path:
    """What a symlink named by itself may not leave: the working directory, or the folder it lies in outside of that."""
    here = Path.cwd().resolve()
    parent = path.parent.resolve()
    return here if parent.is_relative_to(here) else parent


def _walk(
    folder: Path, include: GitIgnoreSpec | None, exclude: GitIgnoreSpec, languages: tuple[str, ...]
) -> Iterator[Place]:
    root = folder.resolve()
    # Rules of the folders above count too, from the repository's top on.
    above = [place for place in (root, *root.parents) if (place / ".git").exists()][:1]
    start = above[0] if above else root
    ignored = _Ignored()
    between = [place for place in reversed((root, *root.parents)) if place.is_relative_to(start)]
    for place in between[:-1]:
        ignored.enter(place)
    for at, folders, files in os.walk(folder):
        here = Path(at)
        real = root / here.relative_to(folder)
        ignored.enter(real)
        kept = []
        for name in sorted(folders):
            if name in _NEVER or (here / name).is_symlink() or ignored(real / name, folder=True):
                continue
            if not exclude.match_file((here / name).relative_to(folder).as_posix() + "/"):
                kept.append(name)
        folders[:] = kept
        for name in sorted(files):
            inside = (here / name).relative_to(folder).as_posix()
            language = language_of(Path(name))
            known = language in languages if languages else language in _CODE
            wanted = include.match_file(inside) if include is not None else known
            if wanted and not exclude.match_file(inside) and not ignored(real / name, folder=False):
                yield Place(here / name, root)


class _Ignored:
    """`.gitignore` files, the nearest one that has something to say wins."""

    def __init__(self) -> None:
        self._specs: dict[Path, GitIgnoreSpec] = {}

    def enter(self, folder: Path) -> None:
        """Raises FileError for rules that are there and cannot be read: without them too much would be edited."""
        lines: list[str] = []
        for name in (".gitignore", ".git/info/exclude"):
            try:
                data = read_regular(folder / name, MAX_IGNORE_BYTES)
            except OSError:
                continue
            except FileRefusedError as error:
                raise FileError(f"{folder / name} cannot be read: {error}") from None
            lines += data.decode("utf-8", "replace").split("\n")
        if lines:
            self._specs[folder] = GitIgnoreSpec.from_lines(lines)

    def __call__(self, path: Path, *, folder: bool) -> bool:
        for place in path.parents:
            spec = self._specs.get(place)
            if spec is not None:
                name = path.relative_to(place).as_posix() + ("/" if folder else "")
                said = spec.check_file(name).include
                if said is not None:
                    return said
        return False
