"""A copy of a project's texts in a folder of our own: all that jedi sees of a project.

No link, no special file, no compiled module, no `.jedi`, no configuration and no text that is not open any more is in it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from copydesk_server.renaming.project_texts import ProjectFile


class Mirror:
    """The copies below `folder`."""

    def __init__(self, folder: Path, roots: Sequence[str], files: Sequence[ProjectFile]) -> None:
        """Writes them."""
        self.folder = folder
        self._copies: dict[str, Path] = {}
        self._files: dict[Path, ProjectFile] = {}
        for number, file in enumerate(files):
            copy = self._place(number, roots, file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.text.encode(file.encoding, "replace"))
            self._copies[file.path] = copy
            self._files[copy] = file
        self._shared = self._shared_folders()

    def copy_of(self, file: ProjectFile) -> Path:
        """Where its copy lies."""
        return self._copies[file.path]

    def file_at(self, path: Path | None) -> ProjectFile | None:
        """The file of a copy; None for any other path."""
        return self._files.get(path) if path is not None else None

    def import_folders(self, file: ProjectFile) -> list[str]:
        """Where the imports of a file begin: the folders round it, the roots, the folders above packages, and those of loose
        modules whose names nothing else has.
        """
        top = _above_packages(self._copies[file.path])
        around = [
            folder
            for folder in (top, *top.parents)
            if folder.is_relative_to(self.folder) and folder != self.folder
        ]
        return list(dict.fromkeys(str(folder) for folder in (*around, *self._shared)))

    def _shared_folders(self) -> list[Path]:
        roots = sorted(folder for folder in self.folder.iterdir())
        modules: dict[Path, set[str]] = {}
        for copy in self._copies.values():
            folder = _above_packages(copy)
            modules.setdefault(folder, set()).add(copy.relative_to(folder).parts[0].partition(".")[0])
        counts = Counter(name for names in modules.values() for name in names)
        alone = [
            f for f, names in modules.items() if all(counts[n] == 1 for n in names - {"conftest", "setup"})
        ]
        packages = [
            f
            for f in modules
            if f not in alone and any((f / name / "__init__.py").exists() for name in modules[f])
        ]
        return [*roots, *sorted(packages, key=_depth), *sorted(alone, key=_depth)]

    def _place(self, number: int, roots: Sequence[str], file: ProjectFile) -> Path:
        for k, root in enumerate(roots):
            if file.path.startswith(root.rstrip(os.sep) + os.sep):
                return self.folder / str(k) / os.path.relpath(file.path, root)
        return self.folder / f"alone{number}" / (os.path.basename(file.path) or "untitled.py")


def _above_packages(module: Path) -> Path:
    """The folder in which the outermost package of a module lies, or the module itself."""
    folder = module.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def _depth(folder: Path) -> tuple[int, str]:
    return len(folder.parts), str(folder)
