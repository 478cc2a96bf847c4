"""The commits of a git repository, and its blobs: read by git itself, with a work tree or bare.

git runs none of the programs a repository may name (`git_command.py`), and asks no other machine for what a partial
clone lacks. Knows git; nothing of edits.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copydesk.errors import TrainingError
from copydesk_training.git_command import git_command

_ENVIRONMENT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A Python file of a commit; `old` and `new` name its blobs."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its full hash; the subject is its message's first line."""

    id: str
    subject: str
    changed: tuple[ChangedFile, ...]


def commits(repository: Path, most: int) -> Iterator[Commit]:
    """The last `most` commits that changed Python files, newest first, without merges. Raises TrainingError where git fails.

    `changed` holds the files that were there before and after.
    """
    raw = git(
        repository, "log", f"--max-count={most}", "--no-merges", "--diff-filter=M", "--raw", "--no-abbrev", "--no-renames",
        "--no-ext-diff", "--no-textconv", "-z", "--format=%x01%H%x02%s", "--", "*.py",
    ).decode("utf-8", "replace")  # fmt: skip
    for told in raw.split("\x01")[1:]:
        header, _, rest = told.partition("\0")
        name, _, subject = header.partition("\x02")
        fields = [field for field in rest.strip("\n\0").split("\0") if field]
        changed = []
        for about, path in zip(fields[::2], fields[1::2], strict=False):
            words = about.strip().split()
            if len(words) == 5 and words[0].startswith(":100") and words[1].startswith("100"):
                changed.append(ChangedFile(path, words[2], words[3]))
        yield Commit(name, subject.strip(), tuple(changed))


def is_repository(path: Path) -> bool:
    """Whether git knows a repository at `path` itself: a work tree's root or a bare directory."""
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def resolved(repository: Path, revision: str = "HEAD") -> str:
    """The full hash of the commit that a revision names. Raises TrainingError."""
    return (
        git(repository, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        .decode()
        .strip()
    )


def tree(repository: Path, commit: str = "HEAD") -> list[tuple[str, str]]:
    """The regular files of a commit: path and blob, by path. Raises TrainingError."""
    raw = git(repository, "ls-tree", "-z", "-r", commit).decode("utf-8", "replace")
    found = []
    for row in raw.split("\0"):
        about, _, path = row.partition("\t")
        words = about.split()
        if len(words) == 3 and words[0].startswith("100"):
            found.append((path, words[2]))
    return found


def git(repository: Path, *arguments: str) -> bytes:
    """What git says. Raises TrainingError where it fails."""
    asked = subprocess.run(_command(repository, *arguments), capture_output=True, check=False, env=_env())
    if asked.returncode:
        told = asked.stderr.decode("utf-8", "replace").strip()
        raise TrainingError(f"the history of {repository} cannot be read: {told}")
    return asked.stdout


def _command(repository: Path, *arguments: str) -> list[str]:
    # safe.directory: a repository somebody else owns may be read, since nothing it configures is run.
    owned = f"safe.directory={repository.resolve()}"
    program, *rest = git_command(repository, *arguments)
    return [program, "-c", owned, "-c", "core.hooksPath=/dev/null", *rest]


def _env() -> dict[str, str]:
    return {**os.environ, **_ENVIRONMENT}


class Blobs:
    """The contents of blobs, from one git process. `read` raises TrainingError for a blob that is not there."""

    def __init__(self, repository: Path) -> None:
        command = _command(repository, "cat-file", "--batch")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_env())

    def __enter__(self) -> Blobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self, blob: str) -> bytes:
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        asked.write(blob.encode() + b"\n")
        asked.flush()
        words = told.readline().split()
        if len(words) != 3:
            raise TrainingError(f"git has no blob {blob}")
        data = told.read(int(words[2]))
        told.read(1)
        return data
