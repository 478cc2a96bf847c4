"""A git repository, read without git: no program that it configures is ever run, and nothing is fetched or written.

Only files are read: where `.git` leads, the configuration for what files look like, the current commit, the index.
"""

from __future__ import annotations

import io
import os
import re
from functools import cached_property
from pathlib import Path

from dulwich.config import ConfigFile, StackedConfig

from copydesk_server.errors import FileError, RepositoryError
from copydesk_server.headless.index import Known, read_index
from copydesk_server.headless.objects import Objects, tree_entries
from copydesk_server.headless.regular import read_regular

LARGEST = 1 << 24
"""Bytes of a configuration, of references."""
DEEPEST = 5
"""References that lead to references."""
_UNDERSTOOD = {
    "worktreeconfig", "objectformat", "refstorage", "partialclone", "relativeworktrees", "noop", "preciousobjects",
}  # fmt: skip
_REFERENCE = re.compile(r"refs/[^\x00-\x20~^:?*\[\\\x7f]+\Z")
_OBJECT = re.compile(r"[0-9a-f]{40}\Z")


class Repository:
    """The repository whose working tree's top is `top`. All reading raises RepositoryError, FileError or OSError."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._folder = _leads_to(top / ".git")
        common = _text(self._folder / "commondir")
        self.common = self._folder if common is None else self._folder / common
        self._check_layout()
        self._objects = Objects(self.common / "objects")
        self._trees: dict[bytes, dict[bytes, tuple[int, bytes]]] = {}

    @cached_property
    def configuration(self) -> StackedConfig:
        """The person's own and the repository's."""
        files = []
        for path in (self._folder / "config.worktree", self.common / "config"):
            if path.name == "config" or self._has_extension("worktreeconfig"):
                files.append(_configuration(path, includes=True))
        try:
            return StackedConfig([*files, *StackedConfig.default_backends()])
        except (ValueError, UnicodeError) as error:
            raise RepositoryError("your configuration of git cannot be read") from error

    @cached_property
    def index(self) -> dict[bytes, Known]:
        """What git knows, by path below `top`."""
        return read_index(self._index_path())

    def committed(self, name: bytes) -> tuple[int, bytes] | None:
        """Mode and blob of a file in the current commit; None where it is in none."""
        tree = self._tree
        if tree is None:
            return None
        *folders, last = name.split(b"/")
        for folder in folders:
            mode, child = self._entries(tree).get(folder, (0, b""))
            if mode != 0o40000:
                return None
            tree = child
        return self._entries(tree).get(last)

    def blob(self, name: bytes) -> bytes:
        """The content of an object."""
        return self._objects.read(name, b"blob")

    def close(self) -> None:
        """Let go of its files."""
        self._objects.close()

    # -- layout ------------------------------------------------------------------------------------------------------------

    @cached_property
    def _own(self) -> ConfigFile:
        """What decides the layout; git does not follow includes for it either."""
        return _configuration(self.common / "config", includes=False)

    def _has_extension(self, name: str) -> bool:
        return bool(self._own.get_boolean((b"extensions",), name.encode(), False))

    def _check_layout(self) -> None:
        """Raises RepositoryError for a layout that is not read here."""
        if not os.path.lexists(self._folder / "HEAD"):
            raise RepositoryError("its .git points to no repository")
        own = self._own
        version = _value(own, "core", "repositoryformatversion") or "0"
        if version not in ("0", "1"):
            raise RepositoryError(f"it has the unknown format {version}")
        extensions = {name.decode("utf-8", "replace").lower() for name in _names(own, "extensions")}
        if version == "1" and extensions - _UNDERSTOOD:
            raise RepositoryError(f"it has the unknown extension {min(extensions - _UNDERSTOOD)}")
        if (_value(own, "extensions", "objectformat") or "sha1").lower() != "sha1":
            raise RepositoryError("its objects are named by SHA-256")
        if (_value(own, "extensions", "refstorage") or "files").lower() != "files":
            raise RepositoryError("its references are kept in a table (reftable)")
        elsewhere = _value(own, "core", "worktree")
        if elsewhere is not None and os.path.realpath(self._folder / elsewhere) != os.path.realpath(self.top):
            raise RepositoryError("its working tree lies elsewhere (core.worktree)")
        if elsewhere is None and own.get_boolean((b"core",), b"bare", False) and self._folder == self.common:
            raise RepositoryError("it has no working tree (core.bare)")

    def _index_path(self) -> Path:
        """A commit that is on its way has an index of its own, which git names to the hooks it runs."""
        given = os.environ.get("GIT_INDEX_FILE")
        if given:
            path = Path(os.path.realpath(self.top / given))
            if path.is_relative_to(os.path.realpath(self._folder)):
                return path
        return self._folder / "index"

    # -- the current commit ------------------------------------------------------------------------------------------------

    @cached_property
    def _tree(self) -> bytes | None:
        commit = self._head()
        if commit is None:
            return None
        line = self._objects.read(commit, b"commit").split(b"\n", 1)[0]
        if not line.startswith(b"tree ") or not _OBJECT.match(line[5:].decode("ascii", "replace")):
            raise RepositoryError("its current commit is damaged")
        return line[5:]

    def _head(self) -> bytes | None:
        """The current commit; None before the first."""
        text = _text(self._folder / "HEAD")
        for _ in range(DEEPEST):
            if text is None:
                raise RepositoryError("its HEAD cannot be read")
            if _OBJECT.match(text):
                return text.encode()
            name = text.removeprefix("ref:").strip()
            if name == text or not _REFERENCE.match(name) or ".." in name:
                raise RepositoryError("its HEAD cannot be read")
            text = _text(self.common / name) or self._packed_references.get(name)
            if text is None:
                return None
        raise RepositoryError("its HEAD leads nowhere")

    @cached_property
    def _packed_references(self) -> dict[str, str]:
        lines = (_text(self.common / "packed-refs") or "").split("\n")
        pairs = [line.rstrip("\r").split(" ", 1) for line in lines if line[:1] not in ("#", "^", "")]
        return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}

    def _entries(self, tree: bytes) -> dict[bytes, tuple[int, bytes]]:
        if tree not in self._trees:
            self._trees[tree] = tree_entries(self._objects.read(tree, b"tree"))
        return self._trees[tree]


def _leads_to(path: Path) -> Path:
    """The repository's folder: `.git` itself, or what it says as a file, in worktrees and submodules."""
    if path.is_dir():
        return path
    text = _text(path) or ""
    if not text.startswith("gitdir: "):
        raise RepositoryError("its .git is neither a folder nor points to one")
    return path.parent / text.removeprefix("gitdir: ")


def _text(path: Path) -> str | None:
    """A file's text without the end of its last line; None where there is no file."""
    try:
        return None if path.is_dir() else os.fsdecode(read_regular(path, LARGEST)).rstrip("\r\n")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _configuration(path: Path, *, includes: bool) -> ConfigFile:
    def opened(name: str | os.PathLike[str]) -> io.BytesIO:
        try:
            return io.BytesIO(read_regular(Path(name), LARGEST))
        except (FileError, OSError):  # git passes over those that are not there
            return io.BytesIO()

    try:
        data = read_regular(path, LARGEST)
    except FileNotFoundError:
        return ConfigFile()
    try:
        return ConfigFile.from_file(
            io.BytesIO(data), config_dir=str(path.parent), file_opener=opened, expand_includes=includes
        )
    except (ValueError, UnicodeError, RecursionError) as error:
        raise RepositoryError("its configuration cannot be read") from error


def _names(file: ConfigFile, section: str) -> list[bytes]:
    try:
        return [name for name, _ in file.items((section.encode(),))]
    except KeyError:
        return []


def _value(file: ConfigFile, section: str, name: str) -> str | None:
    try:
        return os.fsdecode(file.get((section.encode(),), name.encode()))
    except KeyError:
        return None
