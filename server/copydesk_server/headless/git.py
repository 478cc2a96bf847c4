"""Which files git could not bring back: those with changes that are not committed.

Runs `git status` and nothing else, without the hooks a repository may configure for it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 60


@dataclass(frozen=True, slots=True)
class Dirt:
    """Resolved paths with changes; an untracked file is all change. unknown: why git could not say, for files under a folder."""

    unstaged: frozenset[Path] = frozenset()
    staged: frozenset[Path] = frozenset()
    unknown: tuple[tuple[Path, str], ...] = ()

    def refusal(self, path: Path, *, allow_dirty: bool, allow_staged: bool) -> str | None:
        """Why `path` (resolved) must not be written, or None."""
        if not allow_dirty:
            if path in self.unstaged:
                return "it has unstaged changes: --allow-dirty edits it all the same"
            for folder, why in self.unknown:
                if path.is_relative_to(folder):
                    return (
                        f"git cannot say whether it has changes ({why}): --allow-dirty edits it all the same"
                    )
        if not allow_staged and path in self.staged:
            return "it has staged changes: --allow-staged edits it all the same"
        return None


def dirt(folders: Iterable[Path]) -> Dirt:
    """What is not committed in the repositories the folders are in. Raises: never."""
    unstaged: set[Path] = set()
    staged: set[Path] = set()
    unknown: list[tuple[Path, str]] = []
    for top in sorted({top for folder in folders if (top := _top(folder)) is not None}):
        command = ["git", "-c", "core.fsmonitor=false", "-C", str(top), "status", "--porcelain=v1", "-z"]
        command += ["--untracked-files=all", "--ignore-submodules=all", "--no-renames"]
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
        try:
            done = subprocess.run(command, capture_output=True, env=environment, timeout=TIMEOUT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            unknown.append((top, str(error)))
            continue
        if done.returncode != 0:
            unknown.append((top, done.stderr.decode("utf-8", "replace").strip().split("\n")[0]))
            continue
        for entry in filter(None, done.stdout.split(b"\0")):
            index, tree, name = entry[:1], entry[1:2], os.fsdecode(entry[3:])
            if index not in b" ?":
                staged.add(top / name)
            if tree != b" ":
                unstaged.add(top / name)
    return Dirt(frozenset(unstaged), frozenset(staged), tuple(unknown))


def _top(folder: Path) -> Path | None:
    """The working tree the folder is in."""
    folder = folder.resolve()
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)
